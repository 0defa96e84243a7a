import { readKnownNames } from '../../db/actions/queries.ts';
import { getImpactLimit, lockImpactLimit, updateImpactLimit } from '../../db/impact-limits/limits.ts';
import { existing, ServiceError, validationError } from '../../domain/errors.ts';
import { limitWarnings } from '../../domain/impact-limits/limit-warnings.ts';
import { jsonEquals } from '../../domain/json-path.ts';
import { defineRoute } from '../http/define-route.ts';
import { limitEntry } from './audit.ts';
import { limitParams, presentLimit, updateLimitBody, writtenLimitSchema } from './schemas.ts';

export const updateLimitRoute = defineRoute({
  of: 'environment',
  id: 'impactLimits.update',
  method: 'PATCH',
  path: '/api/v2/impact-limits/{id}',
  summary: 'Change the name, cap or thresholds of an impact limit',
  description:
    'The cap may be lowered below what is used: then nothing more is reserved until enough is released or the next period ' +
    'begins. What the limit counts (dimension, currency, period, timezone, scope) cannot be changed: archive it and create ' +
    'another.',
  scope: 'impact-limits:write',
  role: 'admin',
  request: { params: limitParams, body: updateLimitBody },
  response: { 200: writtenLimitSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params, body }) {
    const before = existing(await lockImpactLimit(tx, params.id), 'impact limit');
    if (before.archivedAt !== null) {
      const message = `Impact limit ${before.id} is archived and no longer changes. Create another; its name may be free again.`;
      throw new ServiceError('CONFLICT', { message });
    }
    const { name = before.name, cap = before.cap, thresholds = before.thresholds } = body;
    if (before.period === 'per_effect' && thresholds.length > 0) {
      throw validationError([{ path: 'body.thresholds', message: 'are for a period that many effects share' }]);
    }
    const isChanged = name !== before.name || cap !== before.cap || !jsonEquals(thresholds, before.thresholds);
    if (isChanged) await updateImpactLimit(tx, before.id, { name, cap, thresholds });
    const after = await getImpactLimit(tx, before.id);
    if (after === null) throw new Error(`impact limit ${before.id} was locked and is gone`);
    const warnings = limitWarnings(after, await readKnownNames(tx));
    return {
      reply: { status: 200, data: { ...presentLimit(after), warnings } },
      audit: isChanged ? limitEntry('impact_limit.updated', after, before) : 'none: the limit was so already',
    };
  },
});
