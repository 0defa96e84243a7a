import { z } from 'zod';
import { getDeadLetter, listDeadLetters, readDeadLetterStats } from '../../db/dead-letters/records.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  deadLetterParams,
  deadLetterSchema,
  filterQuery,
  listedDeadLetterSchema,
  presentDeadLetter,
  presentListedDeadLetter,
  presentStats,
  statsSchema,
} from './schemas.ts';

export const listDeadLettersRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.list',
  method: 'GET',
  path: '/api/v2/dlq',
  summary: 'List dead letters, those that failed last first',
  scope: 'dlq:read',
  role: 'member',
  request: { query: filterQuery },
  response: { 200: z.array(listedDeadLetterSchema) },
  list: async (tx, { query, page }) => presented(await listDeadLetters(tx, query, page), presentListedDeadLetter),
});

export const deadLetterStatsRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.stats',
  method: 'GET',
  path: '/api/v2/dlq/stats',
  summary: 'Count dead letters, by reason, response status and destination',
  description:
    'The groups are made of the newest 20,000 records (`examined`); `total`, `oldestAt` and `newestAt` are of all.',
  scope: 'dlq:read',
  role: 'member',
  response: { 200: statsSchema },
  async read(tx) {
    return presentStats(await readDeadLetterStats(tx));
  },
});

export const getDeadLetterRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.get',
  method: 'GET',
  path: '/api/v2/dlq/{messageId}',
  summary: 'Get a dead letter',
  scope: 'dlq:read',
  role: 'member',
  request: { params: deadLetterParams },
  response: { 200: deadLetterSchema },
  read: async (tx, { params }) => presentDeadLetter(existing(await getDeadLetter(tx, params.messageId), 'dead letter')),
});
