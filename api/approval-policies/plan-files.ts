import { createPlan } from '../../db/approval-policies/create-plan.ts';
import { deleteOldPlans } from '../../db/approval-policies/delete-old-plans.ts';
import { listLivePolicies } from '../../db/approval-policies/list-live-policies.ts';
import { readPolicyRevision } from '../../db/approval-policies/read-policy-revision.ts';
import { planDigestOf, planFiles, type FileChange } from '../../domain/approval-policies/files.ts';
import type { PlannedChange } from '../../db/approval-policies/records.ts';
import { defineRoute } from '../http/define-route.ts';
import { planBody, planSchema } from './files-schemas.ts';
import { readFiles } from './read-files.ts';

const PLAN_LIFETIME_SECONDS = 86_400;

export const planFilesRoute = defineRoute({
  id: 'approvalPolicies.files.plan',
  method: 'POST',
  path: '/api/v2/approval-policies/files/plan',
  summary: 'What applying policy files would change',
  description:
    'Compares the files with the policies of the environment, by name, and changes none of them. `unchanged` and the action `none` ' +
    'say that a file is in force already. The plan is kept for a day; applying it takes its id and digest, and `policies:write`.',
  scope: 'policies:read',
  role: 'member',
  request: { body: planBody },
  response: { 200: planSchema },
  errors: [],
  idempotent: true,
  async handler({ body, caller, actor, deps, recordReply }) {
    const files = await readFiles(body.files, caller);
    return deps.db.withEnvironment(caller.tenant, async (tx) => {
      // The revision first: a change between the two reads leaves a plan that is stale, never one that misses the change.
      const { revision } = await readPolicyRevision(tx);
      const live = await listLivePolicies(tx);
      const { changes, warnings, unchanged } = planFiles(
        live,
        files.map(({ document }) => document),
        body.prune ?? false,
      );
      const digest = planDigestOf(revision, changes);
      await deleteOldPlans(tx);
      const plan = await createPlan(tx, {
        baseRevision: revision,
        digest,
        changes: changes.map(keptOf),
        createdBy: actor,
        lifetimeSeconds: PLAN_LIFETIME_SECONDS,
      });
      return recordReply(tx, {
        status: 200,
        data: {
          planId: plan.id,
          baseRevision: revision,
          digest,
          unchanged,
          changes: changes.map(({ name, action, before, after }) => ({ name, action, before, after })),
          warnings,
          expiresAt: plan.expiresAt.toISOString(),
        },
      });
    });
  },
});

/** What applying needs: the documents that make a version, not those that stay or go. */
function keptOf({ name, action, policyId, after }: FileChange): PlannedChange {
  return { name, action, policyId, after: action === 'none' ? null : after };
}
