import { archivePolicy, lockPolicies } from '../../db/approval-policies/changes.ts';
import { getPolicy } from '../../db/approval-policies/queries.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { policyEntry } from './audit.ts';
import { policyParams, policySchema, presentPolicy } from './schemas.ts';

export const deletePolicyRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.delete',
  method: 'DELETE',
  path: '/api/v2/approval-policies/{policyId}',
  summary: 'Delete an approval policy',
  description:
    'The policy no longer decides anything, and its name is free. The policy and its versions stay readable by id, because ' +
    'approvals and receipts refer to them. Deleting it again answers 200 and changes nothing.',
  scope: 'policies:write',
  role: 'admin',
  request: { params: policyParams },
  response: { 200: policySchema },
  idempotent: true,
  async change(tx, { params: { policyId } }) {
    await lockPolicies(tx);
    const before = existing(await getPolicy(tx, policyId), 'approval policy');
    if (before.archivedAt !== null) {
      return { reply: { status: 200, data: presentPolicy(before) }, audit: 'none: the policy was deleted before' };
    }
    await archivePolicy(tx, policyId);
    const policy = await getPolicy(tx, policyId);
    if (policy === null) throw new Error(`approval policy ${policyId} was archived and is gone`);
    return {
      reply: { status: 200, data: presentPolicy(policy) },
      audit: policyEntry('approval_policy.deleted', policy),
    };
  },
});
