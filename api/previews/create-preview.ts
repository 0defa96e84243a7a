import { defineRoute } from '../http/define-route.ts';
import { durationSeconds } from '../http/duration.ts';
import { actionParams } from '../invocations/schemas.ts';
import { makePreview } from './make-preview.ts';
import { EXPIRES_IN_SECONDS_DEFAULT, previewBody, previewSchema } from './schemas.ts';

export const createPreviewRoute = defineRoute({
  id: 'previews.create',
  method: 'POST',
  path: '/api/v2/actions/{ref}/previews',
  summary: 'Preview a governed invocation',
  description:
    'Shows exactly what an invocation would send, what it would use up, and under which conditions, and sends nothing. Where the ' +
    "adapter can, the provider's record is read; 503 where it cannot be reached. Invoke with `previewId` to have exactly this " +
    'executed, or nothing. 409 CONFLICT where an invocation would be refused now (`details.refusal`), or the action is plain.',
  scope: 'actions:invoke',
  request: { params: actionParams, body: previewBody },
  response: { 201: previewSchema },
  errors: ['NOT_FOUND', 'CONFLICT', 'OPERATION_KEY_REUSE', 'QUOTA_EXCEEDED'],
  idempotent: true,
  fence: 'The reply is recorded in the transaction that makes the preview.',
  ownsItsTransaction: 'A worker reads the provider between its draft and the preview.',
  audited: 'none: a preview is a record of its own, which names who made it',
  handler({ params, body, ...context }) {
    const { input, operationKey = null, runId = null, agentId = null, expiresIn } = body;
    const { retryOf = null, dependsOn = [], compensates = null } = body;
    const seconds = expiresIn === undefined ? EXPIRES_IN_SECONDS_DEFAULT : durationSeconds(expiresIn);
    return makePreview(context, () =>
      Promise.resolve({
        ref: params.ref,
        input,
        operationKey,
        runId,
        agentId,
        relations: { retryOf, dependsOn, compensates },
        expiresInSeconds: seconds,
        supersedes: null,
      }),
    );
  },
});
