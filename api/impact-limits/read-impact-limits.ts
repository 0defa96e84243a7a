import { z } from 'zod';
import { getImpactLimit } from '../../db/impact-limits/get-impact-limit.ts';
import { listImpactLimits } from '../../db/impact-limits/list-impact-limits.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { paginationOf } from '../http/pagination.ts';
import { limitParams, limitSchema, listLimitsQuery, presentLimit } from './schemas.ts';

export const listLimitsRoute = defineRoute({
  id: 'impactLimits.list',
  method: 'GET',
  path: '/api/v2/impact-limits',
  summary: 'List impact limits with what is used of them, newest first',
  scope: 'impact-limits:read',
  role: 'member',
  request: { query: listLimitsQuery },
  response: { 200: z.array(limitSchema) },
  paginated: true,
  errors: [],
  async handler({ query: { page, limit, ...filter }, caller, deps }) {
    const { items, total } = await deps.db.withEnvironment(caller.tenant, (tx) =>
      listImpactLimits(tx, { ...filter, limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentLimit), pagination: paginationOf(total, page, limit) };
  },
});

export const getLimitRoute = defineRoute({
  id: 'impactLimits.get',
  method: 'GET',
  path: '/api/v2/impact-limits/{id}',
  summary: 'Get an impact limit with what is used of it',
  scope: 'impact-limits:read',
  role: 'member',
  request: { params: limitParams },
  response: { 200: limitSchema },
  errors: ['NOT_FOUND'],
  async handler({ params, caller, deps }) {
    const limit = await deps.db.withEnvironment(caller.tenant, (tx) => getImpactLimit(tx, params.id));
    if (limit === null) throw notFound('impact limit');
    return { status: 200, data: presentLimit(limit) };
  },
});
