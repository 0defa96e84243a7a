import { createPlan, deleteOldPlans } from '../../db/approval-policies/plans.ts';
import { listLivePolicies } from '../../db/approval-policies/queries.ts';
import { readPolicyRevision } from '../../db/approval-policies/evaluation.ts';
import { planDigestOf, planFiles, type FileChange } from '../../domain/approval-policies/files.ts';
import type { PlannedChange } from '../../db/approval-policies/records.ts';
import { defineRoute } from '../http/define-route.ts';
import { fileIssuesBeside } from './document.ts';
import { planBody, planSchema } from './files-schemas.ts';
import { policyWarnings, readPolicyWorld } from './policy-warnings.ts';
import { readFiles } from './read-files.ts';

const PLAN_LIFETIME_SECONDS = 86_400;

export const planFilesRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.files.plan',
  method: 'POST',
  path: '/api/v2/approval-policies/files/plan',
  summary: 'Plan what applying policy files would change',
  description:
    "Compares the files with the environment's policies by name, and changes nothing. A file that is already in force is " +
    '`unchanged`, with the action `none`. The plan is kept for a day. Applying it takes its id and digest, and the scope ' +
    '`policies:write`. `warnings` lists what may be a slip, such as a name that no action has.',
  scope: 'policies:read',
  role: 'member',
  request: { body: planBody, issuesBeside: fileIssuesBeside },
  response: { 200: planSchema },
  idempotent: true,
  admit: readPolicyWorld,
  async prepare({ body, caller }, world) {
    const files = await readFiles(body.files, caller);
    const placed = files.map(({ document }, index) => ({ document, path: `files[${index}].content` }));
    return { files, ofDocuments: await policyWarnings(placed, world, caller) };
  },
  async change(tx, { body, actor }, { files, ofDocuments }) {
    // The revision first: a change between the two reads makes the plan stale and is never missed.
    const { revision } = await readPolicyRevision(tx);
    const live = await listLivePolicies(tx);
    const documents = files.map(({ document }) => document);
    const { changes, warnings, unchanged } = planFiles(live, documents, body.prune ?? false);
    const digest = planDigestOf(revision, changes);
    await deleteOldPlans(tx);
    const plan = await createPlan(tx, {
      baseRevision: revision,
      digest,
      changes: changes.map(keptOf),
      createdBy: actor,
      lifetimeSeconds: PLAN_LIFETIME_SECONDS,
    });
    const data = {
      planId: plan.id,
      baseRevision: revision,
      digest,
      unchanged,
      changes: changes.map(({ name, action, before, after }) => ({ name, action, before, after })),
      warnings: [...ofDocuments, ...warnings],
      expiresAt: plan.expiresAt.toISOString(),
    };
    return { reply: { status: 200, data }, audit: 'none: a plan changes no policy; applying it is recorded' };
  },
});

/** Applying needs only the documents that make a version. */
function keptOf({ name, action, policyId, after }: FileChange): PlannedChange {
  return { name, action, policyId, after: action === 'none' ? null : after };
}
