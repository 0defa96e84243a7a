import { createPolicy } from '../../db/approval-policies/create-policy.ts';
import { lockPolicies } from '../../db/approval-policies/lock-policies.ts';
import { requireRoom } from '../../db/approval-policies/require-room.ts';
import { defineRoute } from '../http/define-route.ts';
import { recordPolicyChange } from './audit.ts';
import { readDocument } from './document.ts';
import { createPolicyBody, policySchema, presentPolicy } from './schemas.ts';

export const createPolicyRoute = defineRoute({
  id: 'approvalPolicies.create',
  method: 'POST',
  path: '/api/v2/approval-policies',
  summary: 'Create an approval policy and its version 1',
  description:
    'It is enabled, and in force for every evaluation that begins after the reply. The document is checked whole, its ' +
    'conditions are compiled. The name is that of the document, unique among the live policies of the environment.',
  scope: 'policies:write',
  role: 'admin',
  request: { body: createPolicyBody },
  response: { 201: policySchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async handler({ body, caller, actor, requestId, deps, recordReply }) {
    const { document, digest } = await readDocument(body.document, caller);
    return deps.db.withEnvironment(caller.tenant, async (tx) => {
      await lockPolicies(tx);
      const policy = await createPolicy(tx, { document, digest, createdBy: actor });
      await requireRoom(tx);
      await recordPolicyChange(tx, 'approval_policy.created', policy, { caller, actor, requestId });
      return recordReply(tx, { status: 201, data: presentPolicy(policy) });
    });
  },
});
