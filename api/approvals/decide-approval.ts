import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { defineRoute, type Caller } from '../http/define-route.ts';
import { decide } from './decide.ts';
import { approvalParams, approvalSchema, approveBody, denyBody, presentApproval } from './schemas.ts';
import { showApproval } from './show-approvals.ts';
import { tellWorkflow } from './tell-workflow.ts';

const WHO =
  'For API keys that hold `approvals:decide` and for members, where the approvers name them; where they name nobody, for any such ' +
  'key, any admin and any owner. 403 to everybody else. Decisions are final: a second one of the same principal, one on an ' +
  'approval that has ended, and one after its expiry are answered 409. Send an `Idempotency-Key` of your own: one that somebody else ' +
  'sent repeats the reply to their decision, and decides nothing.';

export const approveRoute = defineRoute({
  id: 'approvals.approve',
  method: 'POST',
  path: '/api/v2/approvals/{id}/approve',
  summary: 'Approve',
  description:
    'Echo the `bindingDigest` that you were shown; another one is 409. With the approval that fills the quorum of different ' +
    `principals the invocation goes on by itself. Who requested it cannot approve it where \`preventSelf\` says so. ${WHO}`,
  scope: 'approvals:decide',
  role: 'member',
  request: { params: approvalParams, body: approveBody },
  response: { 200: approvalSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  idempotent: true,
  async handler({ params, body, caller, actor, requestId, deps, recordReply }) {
    const { reply, decided } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const approval = await decide(tx, {
        approvalId: params.id,
        decision: 'approve',
        bindingDigest: body.bindingDigest,
        note: body.note ?? null,
        caller,
        actor,
        requestId,
      });
      const data = presentApproval(await showApproval(tx, approval));
      return { reply: await recordReply(tx, { status: 200, data }), decided: approval };
    });
    await tell(deps, caller, decided);
    return reply;
  },
});

export const denyRoute = defineRoute({
  id: 'approvals.deny',
  method: 'POST',
  path: '/api/v2/approvals/{id}/deny',
  summary: 'Deny',
  description: `One denial ends the approval, and its invocation with it: nothing is sent. ${WHO}`,
  scope: 'approvals:decide',
  role: 'member',
  request: { params: approvalParams, body: denyBody },
  response: { 200: approvalSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  idempotent: true,
  async handler({ params, body, caller, actor, requestId, deps, recordReply }) {
    const { reply, decided } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const deciding = { approvalId: params.id, bindingDigest: null, note: body.note, caller, actor, requestId };
      const approval = await decide(tx, { ...deciding, decision: 'deny' });
      const data = presentApproval(await showApproval(tx, approval));
      return { reply: await recordReply(tx, { status: 200, data }), decided: approval };
    });
    await tell(deps, caller, decided);
    return reply;
  },
});

function tell(deps: ApiDependencies, { tenant }: Caller, { id, invocationId }: ApprovalRecord): Promise<void> {
  const { workspaceId, environmentId } = tenant;
  return tellWorkflow(deps, { approvalId: id, invocationId, workspaceId, environmentId });
}
