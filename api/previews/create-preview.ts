import { defineRoute } from '../http/define-route.ts';
import { durationSeconds } from '../http/common-fields.ts';
import { actionParams } from '../actions/request-members.ts';
import { makePreview } from './make-preview.ts';
import { EXPIRES_IN_SECONDS_DEFAULT, previewBody, previewSchema } from './schemas.ts';

export const createPreviewRoute = defineRoute({
  of: 'environment',
  id: 'previews.create',
  method: 'POST',
  path: '/api/v2/actions/{ref}/previews',
  summary: 'Preview a governed invocation',
  description:
    'Shows exactly what an invocation would send and use up, and under which conditions. It sends nothing, but an adapter ' +
    "that inspects reads the provider's record first: 503 if the provider cannot be reached. Invoke with `previewId` to " +
    'have exactly this executed, or nothing.\n\n' +
    '409 `CONFLICT`: the invocation would be refused now (`details.refusal` says why), or the action is not governed.',
  scope: 'actions:invoke',
  role: 'admin',
  appRole: 'member',
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
    return makePreview(context, () =>
      Promise.resolve({
        ref: params.ref,
        input,
        operationKey,
        runId,
        agentId,
        relations: { retryOf, dependsOn, compensates },
        expiresInSeconds: expiresIn === undefined ? null : durationSeconds(expiresIn),
        leastSeconds: EXPIRES_IN_SECONDS_DEFAULT,
        supersedes: null,
      }),
    );
  },
});
