import { z } from 'zod';
import { deleteEntry, flushEntries, getEntry, listEntries, readCacheStats } from '../../db/cache/entries.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { entryParams, entrySchema, flushBody, listedEntrySchema, presentEntry, statsSchema } from './schemas.ts';

export const listEntriesRoute = defineRoute({
  of: 'environment',
  id: 'cache.list',
  method: 'GET',
  path: '/api/v2/cache',
  summary: 'List cached answers, newest first',
  scope: 'cache:read',
  role: 'member',
  request: { query: z.strictObject({ namespace: z.string().min(1).max(64).optional() }) },
  response: { 200: z.array(listedEntrySchema) },
  list: async (tx, { query: { namespace = null }, page }) =>
    presented(await listEntries(tx, { namespace, ...page }), presentEntry),
});

export const getEntryRoute = defineRoute({
  of: 'environment',
  id: 'cache.get',
  method: 'GET',
  path: '/api/v2/cache/{entryId}',
  summary: 'Read a cached answer',
  scope: 'cache:read',
  role: 'member',
  request: { params: entryParams },
  response: { 200: entrySchema },
  errors: ['NOT_FOUND'],
  read: async (tx, { params: { entryId } }) => presentEntry(existing(await getEntry(tx, entryId), 'cache entry')),
});

export const deleteEntryRoute = defineRoute({
  of: 'environment',
  id: 'cache.delete',
  method: 'DELETE',
  path: '/api/v2/cache/{entryId}',
  summary: 'Delete a cached answer',
  scope: 'cache:write',
  role: 'admin',
  appRole: 'member',
  request: { params: entryParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND'],
  async change(tx, { params: { entryId } }) {
    if (!(await deleteEntry(tx, entryId))) throw notFound('cache entry');
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'cache_entry.deleted', target: { type: 'cache_entry', id: entryId } },
    };
  },
});

export const flushCacheRoute = defineRoute({
  of: 'environment',
  id: 'cache.flush',
  method: 'POST',
  path: '/api/v2/cache/flush',
  summary: 'Flush the cache',
  description: 'A namespace, the entries with these attributes, both, or without either everything of the environment.',
  scope: 'cache:write',
  role: 'admin',
  appRole: 'member',
  request: { body: flushBody },
  response: { 200: z.strictObject({ flushed: z.int().min(0) }) },
  async change(tx, { body: { namespace = null, attributes = {} }, caller: { tenant } }) {
    const flushed = await flushEntries(tx, { namespace, attributes });
    return {
      reply: { status: 200, data: { flushed } },
      audit: {
        action: 'cache.flushed',
        target: { type: 'environment', id: tenant.environmentId },
        details: { namespace, attributes, flushed },
      },
    };
  },
});

export const cacheStatsRoute = defineRoute({
  of: 'environment',
  id: 'cache.stats',
  method: 'GET',
  path: '/api/v2/cache/stats',
  summary: 'What the cache holds, and how often it was hit',
  scope: 'cache:read',
  role: 'member',
  response: { 200: statsSchema },
  async read(tx) {
    const stats = await readCacheStats(tx);
    const lookups = stats.hits + stats.misses;
    return { ...stats, hitRate: lookups === 0 ? 0 : stats.hits / lookups };
  },
});
