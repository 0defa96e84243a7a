import {
  archivePolicy,
  createPolicy,
  insertPolicyVersion,
  lockPolicies,
  requireRoom,
} from '../../db/approval-policies/changes.ts';
import { getPlan, markPlanApplied } from '../../db/approval-policies/plans.ts';
import { getPolicy, listLivePolicies } from '../../db/approval-policies/queries.ts';
import { readPolicyRevision } from '../../db/approval-policies/evaluation.ts';
import type { AppliedPlan, PlannedChange, PlanRecord, PolicyRecord } from '../../db/approval-policies/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { PlacedDocument } from '../../domain/approval-policies/document-warnings.ts';
import { documentDigestOf, stateWarnings } from '../../domain/approval-policies/files.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import type { GovernanceWarning } from '../../domain/governance-warnings.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Actor, type Audit, type AuditEntry, defineRoute } from '../http/define-route.ts';
import { policyEntry, type PolicyChange } from './audit.ts';
import { appliedSchema, applyBody, presentApplied } from './files-schemas.ts';
import { policyWarnings, readPolicyWorld } from './policy-warnings.ts';

export const applyPlanRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.files.apply',
  method: 'POST',
  path: '/api/v2/approval-policies/files/apply',
  summary: 'Apply a plan made from policy files',
  description:
    'Applies all changes of the plan, or none. 409 `PLAN_STALE` means that a policy of the environment was changed after ' +
    'the plan was made, or that the plan has expired: make a new plan. Applying the same plan again answers what the first ' +
    'time did. With `failOnWarnings` a plan that has warnings now is refused with 400, and changes nothing.',
  scope: 'policies:write',
  role: 'admin',
  request: { body: applyBody },
  response: { 200: appliedSchema },
  errors: ['CONFLICT', 'PLAN_STALE'],
  idempotent: true,
  admit: async (tx, { body: { planId } }) => ({
    world: await readPolicyWorld(tx),
    placed: placedOf(await getPlan(tx, planId), await listLivePolicies(tx)),
  }),
  prepare: ({ caller }, { world, placed }) => policyWarnings(placed, world, caller),
  async change(tx, { body: { planId, digest, failOnWarnings }, actor }, ofDocuments) {
    // Until the commit no other transaction changes a policy, so the compared policies are the changed ones.
    const revision = await lockPolicies(tx);
    const plan = existing(await getPlan(tx, planId), 'plan');
    if (plan.digest !== digest) throw differs();
    if (plan.result !== null) {
      return { reply: { status: 200, data: presentApplied(plan.result) }, audit: 'none: the plan was applied before' };
    }
    refuseStale(plan, revision);
    const warnings = [...ofDocuments, ...(await stateWarningsOf(tx, plan))];
    if (failOnWarnings === true && warnings.length > 0) throw refusedFor(warnings);
    const changed = await applyChanges(tx, plan.changes, actor);
    await requireRoom(tx);
    const result: AppliedPlan = {
      planId,
      revision: (await readPolicyRevision(tx)).revision,
      changes: changed.map(({ change, policy }) => ({
        name: change.name,
        action: change.action,
        policyId: policy.id,
        version: policy.version,
      })),
      warnings,
      appliedAt: new Date().toISOString(),
    };
    await markPlanApplied(tx, result);
    return { reply: { status: 200, data: presentApplied(result) }, audit: entriesOf(plan, changed) };
  },
});

/** Documents in force after the plan, by their places in it. A plan has no document of an unchanged policy. */
function placedOf(plan: PlanRecord | null, live: readonly PolicyRecord[]): PlacedDocument[] {
  const present = new Map(live.map(({ id, document }) => [id, document]));
  return (plan?.changes ?? []).flatMap(({ action, policyId, after }, index) => {
    const document = action === 'none' ? present.get(policyId ?? '') : after;
    return document === null || document === undefined ? [] : [{ document, path: `changes[${index}].after` }];
  });
}

async function stateWarningsOf(tx: EnvironmentTransaction, { changes }: PlanRecord): Promise<GovernanceWarning[]> {
  const places = changes.flatMap(({ name, action }, index): [string, string][] =>
    action === 'delete' ? [] : [[name, `changes[${index}].name`]],
  );
  const deleted = changes.filter(({ action }) => action === 'delete');
  return stateWarnings(await listLivePolicies(tx), new Map(places), { path: 'changes', deleted });
}

function refusedFor(warnings: readonly GovernanceWarning[]): ServiceError {
  const { length } = warnings;
  const first = warnings.slice(0, WARNINGS_TOLD_MAX).map(({ path, message }) => `${path}: ${message}`);
  return new ServiceError('VALIDATION_ERROR', {
    message: `The plan has ${length === 1 ? 'a warning' : `${length} warnings`}, and nothing was changed: ${first.join('; ')}`,
    details: { issues: warnings.map(({ path, message }) => ({ path, message })), warnings },
  });
}

const WARNINGS_TOLD_MAX = 3;

interface Changed {
  change: PlannedChange;
  policy: PolicyRecord;
}

/** Deletions first, so that names cannot conflict: an update never renames, and a creation then has a free name. */
async function applyChanges(
  tx: EnvironmentTransaction,
  changes: readonly PlannedChange[],
  actor: Actor,
): Promise<Changed[]> {
  const order = ['delete', 'update', 'create', 'none'];
  const changed: Changed[] = [];
  for (const change of changes.toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action))) {
    changed.push({ change, policy: await applyChange(tx, change, actor) });
  }
  return changed.toSorted((a, b) => (a.change.name < b.change.name ? -1 : 1));
}

async function applyChange(tx: EnvironmentTransaction, change: PlannedChange, actor: Actor): Promise<PolicyRecord> {
  const { action, policyId, after } = change;
  if (action === 'create' && after !== null) {
    return createPolicy(tx, { document: after, digest: documentDigestOf(after), createdBy: actor });
  }
  if (policyId === null) throw new Error(`a plan says to ${action} the policy ${change.name} and names no id`);
  if (action === 'delete') await archivePolicy(tx, policyId);
  if (action === 'update' && after !== null) {
    const before = await policyOf(tx, policyId);
    const version = { document: after, digest: documentDigestOf(after), createdBy: actor };
    await insertPolicyVersion(tx, { policyId, version: before.version + 1 }, version);
  }
  return policyOf(tx, policyId);
}

async function policyOf(tx: EnvironmentTransaction, id: string): Promise<PolicyRecord> {
  const policy = await getPolicy(tx, id);
  if (policy === null) throw new Error(`approval policy ${id} is in a plan of this revision and is gone`);
  return policy;
}

function refuseStale(plan: PlanRecord, revision: number): void {
  const { id, baseRevision, expiresAt } = plan;
  if (plan.isExpired) {
    throw new ServiceError('PLAN_STALE', {
      message: `Plan ${id} expired at ${expiresAt.toISOString()}. Nothing was changed. Make a new plan from the files.`,
    });
  }
  if (baseRevision !== revision) {
    throw new ServiceError('PLAN_STALE', { details: { baseRevision, revision } });
  }
}

function differs(): ServiceError {
  return new ServiceError('CONFLICT', {
    message:
      'The digest is not that of this plan. Nothing was changed. Repeat the digest that the plan was answered with.',
  });
}

const AUDITED: Partial<Record<PlannedChange['action'], PolicyChange>> = {
  create: 'approval_policy.created',
  update: 'approval_policy.updated',
  delete: 'approval_policy.deleted',
};

/** One entry for each changed policy, for its own history, and one for the plan. */
function entriesOf(plan: PlanRecord, changed: readonly Changed[]): Audit {
  const counts: JsonObject = {};
  const entries: AuditEntry[] = [];
  for (const { change, policy } of changed) {
    const audited = AUDITED[change.action];
    if (audited === undefined) continue;
    counts[change.action] = Number(counts[change.action] ?? 0) + 1;
    entries.push(policyEntry(audited, policy, { planId: plan.id }));
  }
  const [first, ...others] = entries;
  if (first === undefined) return 'none: every file of the plan was in force already';
  const { id, digest, baseRevision } = plan;
  const details = { digest, baseRevision, ...counts };
  return [first, ...others, { action: 'approval_policy.applied', target: { type: 'policy_plan', id }, details }];
}
