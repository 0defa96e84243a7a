import { archiveImpactLimit, getImpactLimit, lockImpactLimit } from '../../db/impact-limits/limits.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { limitEntry } from './audit.ts';
import { limitParams, limitSchema, presentLimit } from './schemas.ts';

export const archiveLimitRoute = defineRoute({
  of: 'environment',
  id: 'impactLimits.archive',
  method: 'DELETE',
  path: '/api/v2/impact-limits/{id}',
  summary: 'Archive an impact limit',
  description:
    'The limit counts nothing new, and its name is free. What it has reserved is settled or released as usual, and receipts ' +
    'still name it. Archiving it again answers 200 and changes nothing.',
  scope: 'impact-limits:write',
  role: 'admin',
  request: { params: limitParams },
  response: { 200: limitSchema },
  idempotent: true,
  async change(tx, { params }) {
    const locked = existing(await lockImpactLimit(tx, params.id), 'impact limit');
    const isNew = locked.archivedAt === null;
    if (isNew) await archiveImpactLimit(tx, locked.id);
    const limit = await getImpactLimit(tx, locked.id);
    if (limit === null) throw new Error(`impact limit ${locked.id} was locked and is gone`);
    return {
      reply: { status: 200, data: presentLimit(limit) },
      audit: isNew ? limitEntry('impact_limit.archived', limit) : 'none: the limit was archived before',
    };
  },
});
