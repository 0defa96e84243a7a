import { createPolicy, lockPolicies, requireRoom } from '../../db/approval-policies/changes.ts';
import { defineRoute } from '../http/define-route.ts';
import { policyEntry } from './audit.ts';
import { documentIssuesBeside, readDocument } from './document.ts';
import { policyWarnings, readPolicyWorld } from './policy-warnings.ts';
import { createPolicyBody, presentPolicy, writtenPolicySchema } from './schemas.ts';

export const createPolicyRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.create',
  method: 'POST',
  path: '/api/v2/approval-policies',
  summary: 'Create an approval policy and its version 1',
  description:
    'The policy is enabled, and applies to every evaluation that begins after this reply. The document is checked and its ' +
    'conditions are compiled first. The policy takes its name from the document; the name must be unique among the ' +
    "environment's policies. What may be a slip, such as a name that no action has, is listed in `warnings`.",
  scope: 'policies:write',
  role: 'admin',
  request: { body: createPolicyBody, issuesBeside: documentIssuesBeside },
  response: { 201: writtenPolicySchema },
  errors: ['CONFLICT'],
  idempotent: true,
  admit: readPolicyWorld,
  async prepare({ body, caller }, world) {
    const read = await readDocument(body.document, caller);
    const placed = [{ document: read.document, path: 'document' }];
    return { ...read, warnings: await policyWarnings(placed, world, caller) };
  },
  async change(tx, { actor }, { document, digest, warnings }) {
    await lockPolicies(tx);
    const policy = await createPolicy(tx, { document, digest, createdBy: actor });
    await requireRoom(tx);
    return {
      reply: { status: 201, data: { ...presentPolicy(policy), warnings } },
      audit: policyEntry('approval_policy.created', policy),
    };
  },
});
