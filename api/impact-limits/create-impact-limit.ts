import { readKnownNames } from '../../db/actions/queries.ts';
import { createImpactLimit, getImpactLimit } from '../../db/impact-limits/limits.ts';
import { limitWarnings } from '../../domain/impact-limits/limit-warnings.ts';
import { defineRoute } from '../http/define-route.ts';
import { limitEntry } from './audit.ts';
import { createLimitBody, presentLimit, writtenLimitSchema } from './schemas.ts';

export const createLimitRoute = defineRoute({
  of: 'environment',
  id: 'impactLimits.create',
  method: 'POST',
  path: '/api/v2/impact-limits',
  summary: 'Create an impact limit',
  description:
    'Applies to every governed dispatch from now on. Before an effect is dispatched, its declared impact is reserved on ' +
    'every limit that applies, or on none. If one has no room, the invocation is refused with `impact_limit_exceeded`.\n\n' +
    'A reservation is settled when the effect happened, released when it provably did not, and held while the outcome is ' +
    'unknown. Money is refused with `currency_mismatch` if the limits that apply are all in other currencies. What may be a slip, such as a ' +
    'name that no action has or a dimension that none declares, is listed in `warnings`.',
  scope: 'impact-limits:write',
  role: 'admin',
  request: { body: createLimitBody },
  response: { 201: writtenLimitSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body }) {
    const id = await createImpactLimit(tx, { ...body, currency: body.currency ?? null });
    const limit = await getImpactLimit(tx, id);
    if (limit === null) throw new Error(`impact limit ${id} was made and is gone`);
    const warnings = limitWarnings(limit, await readKnownNames(tx));
    return {
      reply: { status: 201, data: { ...presentLimit(limit), warnings } },
      audit: limitEntry('impact_limit.created', limit),
    };
  },
});
