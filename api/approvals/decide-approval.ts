import type { z } from 'zod';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { Decision } from '../../domain/approvals/approval.ts';
import { type AuditEntry, type Caller, defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { decide, type Deciding } from './decide.ts';
import { approvalParams, approvalSchema, approveBody, denyBody, placeOf, presentApproval } from './schemas.ts';
import { showApproval } from './show-approvals.ts';
import { tellWorkflow } from './tell-workflow.ts';

const WHO =
  'Allowed for those whom the approvers name: API keys with `approvals:decide`, and members. If they name nobody, any such key, any admin ' +
  'and any owner can decide. Everybody else gets 403.\n\n' +
  'Decisions are final. 409: the principal has decided before, or the approval has ended or expired. Send an `Idempotency-Key` of ' +
  "your own: another caller's key repeats the reply to their decision, and decides nothing.";

const BY_NAME = 'A member decides what names them: test/api/approvals/who-decides.test.ts.';

export const approveRoute = defineRoute({
  of: 'environment',
  id: 'approvals.approve',
  method: 'POST',
  path: '/api/v2/approvals/{id}/approve',
  summary: 'Approve a request',
  description:
    'Send the `bindingDigest` that you were shown; a different one gets 409. When enough different principals have approved, the ' +
    `invocation continues by itself. With \`preventSelf\` the requester cannot approve it.\n\n${WHO}`,
  scope: 'approvals:decide',
  role: 'member',
  stepUp: true,
  request: { params: approvalParams, body: approveBody },
  response: { 200: approvalSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  exempt: { roles: BY_NAME },
  async change(tx, { params, body, caller, actor, deps }) {
    const { bindingDigest, note = null } = body;
    const asked = { approvalId: params.id, decision: 'approve', bindingDigest, note, caller, actor } as const;
    return decided(tx, deps, asked);
  },
});

export const denyRoute = defineRoute({
  of: 'environment',
  id: 'approvals.deny',
  method: 'POST',
  path: '/api/v2/approvals/{id}/deny',
  summary: 'Deny a request',
  description: `One denial ends the approval and its invocation: nothing is sent.\n\n${WHO}`,
  scope: 'approvals:decide',
  role: 'member',
  stepUp: true,
  request: { params: approvalParams, body: denyBody },
  response: { 200: approvalSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  exempt: { roles: BY_NAME },
  async change(tx, { params, body: { note }, caller, actor, deps }) {
    const asked = { approvalId: params.id, decision: 'deny', bindingDigest: null, note, caller, actor } as const;
    return decided(tx, deps, asked);
  },
});

interface Decided {
  reply: { status: 200; data: z.input<typeof approvalSchema> };
  audit: AuditEntry;
  after: () => Promise<void>;
}

/** The commit makes the decision final. The waiting workflow is notified afterwards. */
async function decided(
  tx: EnvironmentTransaction,
  deps: WorkDependencies,
  asked: Deciding & { caller: Caller },
): Promise<Decided> {
  const approval = await decide(tx, asked);
  const { id, invocationId } = approval;
  return {
    reply: { status: 200, data: presentApproval(await showApproval(tx, approval), placeOf(deps, asked.caller)) },
    audit: auditOfDecision(asked.decision, approval),
    after: await tellWorkflow(tx, deps, asked.caller, { approvalId: id, invocationId }),
  };
}

export function auditOfDecision(
  decision: Decision,
  { id, status, bindingDigest, invocationId }: ApprovalRecord,
): AuditEntry {
  return {
    action: decision === 'approve' ? 'approval.approved' : 'approval.denied',
    target: { type: 'approval', id },
    details: { status, bindingDigest, invocationId },
  };
}
