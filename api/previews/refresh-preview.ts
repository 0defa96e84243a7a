import { lockPreview } from '../../db/previews/changes.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { durationSeconds } from '../http/common-fields.ts';
import { makePreview } from './make-preview.ts';
import { previewParams, previewSchema, refreshBody } from './schemas.ts';

export const refreshPreviewRoute = defineRoute({
  of: 'environment',
  id: 'previews.refresh',
  method: 'POST',
  path: '/api/v2/actions/previews/{id}/refresh',
  summary: 'Refresh a preview',
  description:
    "Makes a new preview of the same request from what is in force now: the action's current version, the secrets, the " +
    "provider's record. The new one `supersedes` the old one, which can no longer be used (`PREVIEW_EXPIRED`). An expired " +
    'preview can be refreshed; a used one cannot.',
  scope: 'actions:invoke',
  role: 'admin',
  appRole: 'member',
  request: { params: previewParams, body: refreshBody },
  response: { 201: previewSchema },
  errors: ['NOT_FOUND', 'CONFLICT', 'OPERATION_KEY_REUSE', 'PREVIEW_EXPIRED', 'PREVIEW_ALREADY_USED', 'QUOTA_EXCEEDED'],
  idempotent: true,
  fence: 'The reply is recorded in the transaction that makes the preview.',
  ownsItsTransaction: 'A worker reads the provider between its draft and the preview.',
  audited: 'none: a preview is a record of its own, which names who made it',
  handler({ params, body, ...context }) {
    return makePreview(context, async (tx) => {
      const former = await lockPreview(tx, params.id);
      if (!former) throw notFound('preview');
      checkRefreshable(former);
      const { input, operationKey, runId, agentId, relations } = former;
      return {
        ref: former.actionId,
        input,
        operationKey,
        runId,
        agentId,
        relations,
        expiresInSeconds: body.expiresIn === undefined ? null : durationSeconds(body.expiresIn),
        leastSeconds: lifetimeSeconds(former),
        supersedes: former.id,
      };
    });
  },
});

/** A fork would leave two usable previews. */
function checkRefreshable(former: PreviewRecord): void {
  if (former.madeBy === 'service') {
    throw new ServiceError('CONFLICT', {
      message: `Preview ${former.id} was made by the service for the approval of invocation ${former.invocationId}, and stays as it is.`,
    });
  }
  if (former.used) {
    throw new ServiceError('PREVIEW_ALREADY_USED', { details: { invocationId: former.invocationId } });
  }
  if (former.supersededBy !== null) {
    throw new ServiceError('PREVIEW_EXPIRED', {
      message: `Preview ${former.supersededBy} supersedes this one. Refresh that one.`,
      details: { supersededBy: former.supersededBy },
    });
  }
}

function lifetimeSeconds({ createdAt, expiresAt }: PreviewRecord): number {
  return Math.round((expiresAt.getTime() - createdAt.getTime()) / 1_000);
}
