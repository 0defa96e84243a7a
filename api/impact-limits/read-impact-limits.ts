import { z } from 'zod';
import { getImpactLimit, listImpactLimits } from '../../db/impact-limits/limits.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { limitParams, limitSchema, listLimitsQuery, presentLimit } from './schemas.ts';

export const listLimitsRoute = defineRoute({
  of: 'environment',
  id: 'impactLimits.list',
  method: 'GET',
  path: '/api/v2/impact-limits',
  summary: 'List impact limits with what is used of them, newest first',
  scope: 'impact-limits:read',
  role: 'member',
  request: { query: listLimitsQuery },
  response: { 200: z.array(limitSchema) },
  list: async (tx, { query, page }) => presented(await listImpactLimits(tx, { ...query, ...page }), presentLimit),
});

export const getLimitRoute = defineRoute({
  of: 'environment',
  id: 'impactLimits.get',
  method: 'GET',
  path: '/api/v2/impact-limits/{id}',
  summary: 'Get an impact limit with what is used of it',
  scope: 'impact-limits:read',
  role: 'member',
  request: { params: limitParams },
  response: { 200: limitSchema },
  read: async (tx, { params }) => presentLimit(existing(await getImpactLimit(tx, params.id), 'impact limit')),
});
