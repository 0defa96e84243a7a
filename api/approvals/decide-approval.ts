import type { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { type AuditEntry, defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { decide, type Deciding } from './decide.ts';
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
  async change(tx, { params, body, caller, actor, deps }) {
    const { bindingDigest, note = null } = body;
    const asked = { approvalId: params.id, decision: 'approve', bindingDigest, note, caller, actor } as const;
    return decided(tx, deps, asked);
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
async function decided(tx: EnvironmentTransaction, deps: WorkDependencies, asked: Deciding): Promise<Decided> {
  const approval = await decide(tx, asked);
  const { id, status, bindingDigest, invocationId } = approval;
  return {
    reply: { status: 200, data: presentApproval(await showApproval(tx, approval)) },
    audit: {
      action: asked.decision === 'approve' ? 'approval.approved' : 'approval.denied',
      target: { type: 'approval', id },
      details: { status, bindingDigest, invocationId },
    },
    after: () => tellWorkflow(deps, asked.caller, { approvalId: id, invocationId }),
  };
}
