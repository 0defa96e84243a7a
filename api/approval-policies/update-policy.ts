import { getPolicy } from '../../db/approval-policies/queries.ts';
import {
  insertPolicyVersion,
  lockPolicies,
  requireRoom,
  setPolicyEnabled,
} from '../../db/approval-policies/changes.ts';
import type { NewPolicyVersion, PolicyRecord } from '../../db/approval-policies/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { policyEntry } from './audit.ts';
import { documentIssuesBeside, readDocument } from './document.ts';
import { policyWarnings, readPolicyWorld } from './policy-warnings.ts';
import { policyParams, presentPolicy, updatePolicyBody, writtenPolicySchema } from './schemas.ts';

export const updatePolicyRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.update',
  method: 'PATCH',
  path: '/api/v2/approval-policies/{policyId}',
  summary: 'Change an approval policy',
  description:
    'A new document replaces the old one and becomes the next version. An equal document makes no version, and neither does ' +
    'a change of `enabled` alone. An invocation that waits for approval is evaluated again before it continues: if the ' +
    'result is stricter, its approval is invalidated.',
  scope: 'policies:write',
  role: 'admin',
  request: { params: policyParams, body: updatePolicyBody, issuesBeside: documentIssuesBeside },
  response: { 200: writtenPolicySchema },
  errors: ['CONFLICT'],
  idempotent: true,
  admit: async (tx, { params, body }) => ({
    world: await readPolicyWorld(tx),
    present: body.document === undefined ? await getPolicy(tx, params.policyId) : null,
  }),
  async prepare({ body, caller }, { world, present }) {
    const read = body.document === undefined ? null : await readDocument(body.document, caller);
    const document = read?.document ?? present?.document;
    const placed = document === undefined ? [] : [{ document, path: 'document' }];
    return { read, warnings: await policyWarnings(placed, world, caller) };
  },
  async change(tx, { params, body, actor }, { read, warnings }) {
    await lockPolicies(tx);
    const before = existing(await getPolicy(tx, params.policyId), 'approval policy');
    refuseStale(before, body.expectedVersion);
    const version = read && { ...read, createdBy: actor };
    const after = await change(tx, before, { version, enabled: body.enabled ?? before.enabled });
    const renamed = after.name === before.name ? {} : { previousName: before.name };
    return {
      reply: { status: 200, data: { ...presentPolicy(after), warnings } },
      audit:
        after === before ? 'none: the policy was so already' : policyEntry('approval_policy.updated', after, renamed),
    };
  },
});

/** Returns `before` itself when nothing changes. */
async function change(
  tx: EnvironmentTransaction,
  before: PolicyRecord,
  { version, enabled }: { version: NewPolicyVersion | null; enabled: boolean },
): Promise<PolicyRecord> {
  const isNewDocument = version !== null && version.digest !== before.digest;
  if (!isNewDocument && enabled === before.enabled) return before;
  if (isNewDocument) {
    await insertPolicyVersion(tx, { policyId: before.id, version: before.version + 1 }, version);
    await requireRoom(tx);
  }
  if (enabled !== before.enabled) await setPolicyEnabled(tx, before.id, enabled);
  const after = await getPolicy(tx, before.id);
  if (after === null) throw new Error(`approval policy ${before.id} was changed and is gone`);
  return after;
}

function refuseStale(policy: PolicyRecord, expectedVersion: number | undefined): void {
  if (policy.archivedAt !== null) {
    throw new ServiceError('CONFLICT', {
      message: `Approval policy ${policy.id} is deleted and no longer changes. Create a new one; the name may be free again.`,
    });
  }
  if (expectedVersion !== undefined && expectedVersion !== policy.version) {
    throw new ServiceError('CONFLICT', {
      message: `Approval policy ${policy.id} is at version ${policy.version}, not ${expectedVersion}: it was changed meanwhile. Read it, and make your change again.`,
    });
  }
}
