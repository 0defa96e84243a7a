import { createImpactLimit } from '../../db/impact-limits/create-impact-limit.ts';
import { getImpactLimit } from '../../db/impact-limits/get-impact-limit.ts';
import { defineRoute } from '../http/define-route.ts';
import { limitEntry } from './audit.ts';
import { createLimitBody, limitSchema, presentLimit } from './schemas.ts';

export const createLimitRoute = defineRoute({
  id: 'impactLimits.create',
  method: 'POST',
  path: '/api/v2/impact-limits',
  summary: 'Create an impact limit',
  description:
    'Every governed dispatch from then on reserves what its effect declares in this dimension against it, all limits that ' +
    'apply or none, and is refused with `impact_limit_exceeded` where that would exceed the cap. What was reserved is settled ' +
    'when the effect happened, released on proof that it did not, and held while nobody knows. Money in another currency ' +
    'than every limit that applies is refused with `currency_mismatch`.',
  scope: 'impact-limits:write',
  role: 'admin',
  request: { body: createLimitBody },
  response: { 201: limitSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body }) {
    const id = await createImpactLimit(tx, { ...body, currency: body.currency ?? null });
    const limit = await getImpactLimit(tx, id);
    if (limit === null) throw new Error(`impact limit ${id} was made and is gone`);
    return { reply: { status: 201, data: presentLimit(limit) }, audit: limitEntry('impact_limit.created', limit) };
  },
});
