import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  archivePolicy,
  createPolicy,
  insertPolicyVersion,
  lockPolicies,
  setPolicyEnabled,
} from '../../../db/approval-policies/changes.ts';
import {
  createPlan,
  deleteOldPlans,
  getPlan,
  markPlanApplied,
  UNAPPLIED_PLANS_MAX,
} from '../../../db/approval-policies/plans.ts';
import { findPolicySet, type PolicyRevision, readPolicyRevision } from '../../../db/approval-policies/evaluation.ts';
import type { NewPolicyVersion, PolicyRecord } from '../../../db/approval-policies/records.ts';
import type { EnvironmentTransaction, Tenant } from '../../../db/client.ts';
import { parsePolicyDocument } from '../../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../../domain/approval-policies/files.ts';
import { type LoadedPolicySet, policySets } from '../../../domain/approval-policies/policy-set-cache.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** The rules that the database enforces on policies, and the cache of a process. */

let tenant: Tenant;

const database = await createTestDatabase();
beforeEach(async () => {
  tenant = (await database.anotherWorkspace()).development;
});

function versionOf(name: string, ruleId = 'one', priority = 0): NewPolicyVersion {
  const parsed = parsePolicyDocument({
    schema: 'approval-policy/v1',
    name,
    priority,
    rules: [{ id: ruleId, match: {}, effect: 'deny' }],
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { document } = parsed;
  return { document, digest: documentDigestOf(document), createdBy: { type: 'api_key', id: 'key_test' } };
}
const inEnvironment = <T>(work: (tx: EnvironmentTransaction) => Promise<T>, of = tenant): Promise<T> =>
  database.db.withEnvironment(of, work);
const make = (name = `policy ${randomUUID()}`, of = tenant): Promise<PolicyRecord> =>
  inEnvironment((tx) => createPolicy(tx, versionOf(name)), of);
const revision = (of = tenant): Promise<PolicyRevision> => inEnvironment(readPolicyRevision, of);
/** Finds the policies as an evaluation does, and compiles them outside of the transaction where necessary. */
const load = async (of = tenant, known?: PolicyRevision): Promise<LoadedPolicySet> => {
  const found = await inEnvironment((tx) => findPolicySet(tx, known), of);
  return 'set' in found ? found : policySets.compile(found);
};
const rulesInForce = async (of = tenant): Promise<string[]> => {
  const { set } = await load(of);
  return set.policies.flatMap(({ rules }) => rules.map(({ id }) => id));
};

describe('the database', () => {
  test('gives a policy the number, name and priority of its newest version', async () => {
    const { id } = await make('before');
    await inEnvironment((tx) => insertPolicyVersion(tx, { policyId: id, version: 2 }, versionOf('after', 'two', 7)));
    const rows = await database.asOwner('SELECT name, priority, current_version FROM approval_policies WHERE id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ name: 'after', priority: 7, current_version: 2 }]);
  });

  test('refuses a version that does not follow, one of a policy that is archived or another environment’s', async () => {
    const { id } = await make();
    const append = (version: number, of = tenant): Promise<void> =>
      inEnvironment((tx) => insertPolicyVersion(tx, { policyId: id, version }, versionOf('x')), of);
    await expect(append(3)).rejects.toThrow(/does not follow version 1/);
    await expect(append(1)).rejects.toThrow(/duplicate key|approval_policy_versions_pkey/);
    await expect(append(2, database.tenants.production)).rejects.toThrow(/foreign key|no rows/);
    await inEnvironment((tx) => archivePolicy(tx, id));
    await expect(append(2)).rejects.toThrow(/archived/);
    await expect(inEnvironment((tx) => setPolicyEnabled(tx, id, false))).rejects.toThrow(/archived/);
  });

  test('refuses a first version with another name than the policy’s, and a policy without a version', async () => {
    const insert = `INSERT INTO approval_policies (id, environment_id, name, priority, current_version)
      VALUES (?, current_environment_id(), ?, 0, 1)`;
    const id = `pol_${'0'.repeat(22)}`;
    const unlike = inEnvironment(async (tx) => {
      await tx.raw(null, insert, [id, 'one name']);
      await insertPolicyVersion(tx, { policyId: id, version: 1 }, versionOf('another'));
    });
    await expect(unlike).rejects.toThrow(/another name or priority/);
    await expect(inEnvironment((tx) => tx.raw(null, insert, [id, 'one name']))).rejects.toThrow(
      /approval_policies_current_version/,
    );
  });

  test.each([
    ['renames a policy', `UPDATE approval_policies SET name = 'x'`, /permission denied/],
    ['moves its version', 'UPDATE approval_policies SET current_version = 1', /permission denied/],
    ['deletes one', 'DELETE FROM approval_policies', /permission denied/],
    ['changes a version', `UPDATE approval_policy_versions SET document = '{}'`, /permission denied/],
    ['deletes one', 'DELETE FROM approval_policy_versions', /permission denied/],
    ['moves the revision', 'UPDATE policy_revisions SET revision = 1', /permission denied/],
    ['brings it back to nothing', 'DELETE FROM policy_revisions', /permission denied/],
    ['changes a plan', `UPDATE policy_plans SET changes = '[]'`, /permission denied/],
  ])('refuses the application that %s', async (_, sql, refusal) => {
    await make();
    await expect(inEnvironment((tx) => tx.raw(null, sql))).rejects.toThrow(refusal);
  });

  test('keeps the versions as they are, for the owner too', async () => {
    await make();
    await expect(database.asOwner(`UPDATE approval_policy_versions SET document = '{}'`)).rejects.toThrow(
      /append-only/,
    );
    await expect(database.asOwner('DELETE FROM approval_policy_versions')).rejects.toThrow(/append-only/);
  });

  test('takes the result of a plan once', async () => {
    const plan = await inEnvironment((tx) =>
      createPlan(tx, {
        baseRevision: 0,
        digest: versionOf('x').digest,
        changes: [],
        createdBy: { type: 'api_key', id: 'key_test' },
        lifetimeSeconds: 60,
      }),
    );
    const result = { planId: plan.id, revision: 0, changes: [], warnings: [], appliedAt: new Date().toISOString() };
    await inEnvironment((tx) => markPlanApplied(tx, result));
    await expect(inEnvironment((tx) => markPlanApplied(tx, { ...result, revision: 5 }))).rejects.toThrow(/was applied/);
    expect((await inEnvironment((tx) => getPlan(tx, plan.id)))?.result).toEqual(result);
    expect(await inEnvironment((tx) => getPlan(tx, plan.id), database.tenants.staging)).toBeNull();
  });

  test('forgets plans that nobody can use, and no others', async () => {
    const age = async (days: number, isApplied: boolean): Promise<string> => {
      const { id } = await inEnvironment((tx) =>
        createPlan(tx, {
          baseRevision: 0,
          digest: versionOf('x').digest,
          changes: [],
          createdBy: { type: 'api_key', id: 'key_test' },
          lifetimeSeconds: -days * 86_400,
        }),
      );
      const result = { planId: id, revision: 0, changes: [], warnings: [], appliedAt: new Date().toISOString() };
      if (isApplied) await inEnvironment((tx) => markPlanApplied(tx, result));
      return id;
    };
    const kept = [await age(0, false), await age(6, false), await age(60, true)];
    const gone = [await age(8, false), await age(91, true)];
    await inEnvironment(deleteOldPlans);
    const left = await Promise.all([...kept, ...gone].map((id) => inEnvironment((tx) => getPlan(tx, id))));
    expect(left.map((plan) => plan !== null)).toEqual([true, true, true, false, false]);
  });
});

test('keeps the newest plans that were not applied, and not without end: each may hold a megabyte', async () => {
  const plan = (lifetimeSeconds: number): Promise<string> =>
    inEnvironment(async (tx) => {
      const { id } = await createPlan(tx, {
        baseRevision: 0,
        digest: versionOf('x').digest,
        changes: [],
        createdBy: { type: 'api_key', id: 'key_test' },
        lifetimeSeconds,
      });
      return id;
    });
  const applied = await plan(10);
  const result = { planId: applied, revision: 0, changes: [], warnings: [], appliedAt: new Date().toISOString() };
  await inEnvironment((tx) => markPlanApplied(tx, result));
  const [first, second] = [await plan(100), await plan(200)];
  for (let count = 2; count < UNAPPLIED_PLANS_MAX + 1; count++) await plan(300);
  await inEnvironment(deleteOldPlans);
  const left = await Promise.all([applied, first, second].map((id) => inEnvironment((tx) => getPlan(tx, id))));
  expect(left.map((found) => found !== null)).toEqual([true, false, true]);
});

describe('the revision', () => {
  test('is 0 before the first policy and moves with each change, with a stamp of its own', async () => {
    expect(await revision()).toEqual({ revision: 0, stamp: null });
    const { id } = await make();
    const seen = [await revision()];
    const changes: ((tx: EnvironmentTransaction) => Promise<void>)[] = [
      (tx) => insertPolicyVersion(tx, { policyId: id, version: 2 }, versionOf('x', 'two')),
      (tx) => setPolicyEnabled(tx, id, false),
      (tx) => setPolicyEnabled(tx, id, true),
      (tx) => archivePolicy(tx, id),
    ];
    for (const change of changes) {
      await inEnvironment(change);
      seen.push(await revision());
    }
    expect(seen.map((each) => each.revision)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(seen.map(({ stamp }) => stamp)).size).toBe(5);
  });

  test('moves within its environment alone', async () => {
    await make('here');
    expect(await revision(database.tenants.production)).toEqual({ revision: 0, stamp: null });
  });

  test('a lock makes one transaction the only one that changes policies, and shows it what came before', async () => {
    let isFirstDone = false;
    const order: string[] = [];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let isLocked = (): void => undefined;
    const locked = new Promise<void>((resolve) => (isLocked = resolve));
    const first = inEnvironment(async (tx) => {
      await lockPolicies(tx);
      isLocked();
      await held;
      await createPolicy(tx, versionOf('first'));
      isFirstDone = true;
      order.push('first');
    });
    await locked;
    const second = inEnvironment(async (tx) => {
      const found = await lockPolicies(tx);
      order.push(`second after ${found}, ${isFirstDone}`);
    });
    // It does not wait for another environment.
    expect(await inEnvironment(lockPolicies, database.tenants.production)).toBe(0);
    letGo();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second after 1, true']);
  });
});

describe('findPolicySet', () => {
  test('answers the enabled, live policies and their revision; the same object until one changes', async () => {
    expect(await load()).toMatchObject({ revision: 0, set: { policies: [] } });
    const one = await make('a');
    const two = await make('b');
    const loaded = await load();
    expect(loaded.revision).toBe(2);
    expect(loaded.set.policies.map(({ id, version }) => [id, version])).toEqual([
      [one.id, 1],
      [two.id, 1],
    ]);
    expect(await inEnvironment((tx) => findPolicySet(tx))).toBe(loaded);
    const known = await revision();
    expect(await inEnvironment((tx) => findPolicySet(tx, known))).toBe(loaded);
    await inEnvironment((tx) => setPolicyEnabled(tx, one.id, false));
    const later = await load();
    expect([later.revision, later.set.policies.map(({ id }) => id)]).toEqual([3, [two.id]]);
    await inEnvironment((tx) => archivePolicy(tx, two.id));
    expect(await load()).toMatchObject({ revision: 4, set: { policies: [] } });
  });

  test('compiles nothing itself: its transaction is over before that', async () => {
    await make('policy');
    const found = await inEnvironment((tx) => findPolicySet(tx));
    expect(found).toMatchObject({ environmentId: tenant.environmentId, revision: 1, policies: [{ name: 'policy' }] });
    expect(found).not.toHaveProperty('set');
    expect('bytes' in found && found.bytes).toBeGreaterThan(100);
  });

  test('what a transaction saw that was rolled back is never taken for what came in its place', async () => {
    const { id } = await make('policy');
    const before = await revision();
    const append = (tx: EnvironmentTransaction, ruleId: string): Promise<void> =>
      insertPolicyVersion(tx, { policyId: id, version: 2 }, versionOf('policy', ruleId));
    const lost = inEnvironment(async (tx) => {
      await append(tx, 'lost');
      const found = await findPolicySet(tx);
      const { set } = 'set' in found ? found : await policySets.compile(found);
      expect(set.policies[0]?.rules[0]?.id).toBe('lost');
      throw new Error('rolled back');
    });
    await expect(lost).rejects.toThrow('rolled back');
    expect(await rulesInForce()).toEqual(['one']);
    await inEnvironment((tx) => append(tx, 'kept'));
    expect((await revision()).revision).toBe(before.revision + 1); // the number of the version that was rolled back
    expect(await rulesInForce()).toEqual(['kept']);
  });

  test('a change that comes in between is in the answer, whole', async () => {
    const { id } = await make('policy');
    const known = await revision();
    await inEnvironment((tx) => insertPolicyVersion(tx, { policyId: id, version: 2 }, versionOf('policy', 'newer')));
    // Read before the change by this caller, and not in the process's cache: it must load.
    const { revision: loaded, set } = await load(tenant, known);
    expect([loaded, set.policies[0]?.rules[0]?.id]).toEqual([2, 'newer']);
  });

  test('keeps no environment’s policies for another, and one set of each', async () => {
    await make('here');
    const stranger = (await database.anotherWorkspace()).development;
    expect(await rulesInForce(stranger)).toEqual([]);
    const { id } = await make('there', stranger);
    await rulesInForce(stranger);
    const kept = policySets.size;
    for (let round = 0; round < 3; round++) {
      await inEnvironment((tx) => setPolicyEnabled(tx, id, round % 2 === 1), stranger);
      await rulesInForce(stranger);
    }
    expect(policySets.size).toBe(kept);
    expect(await rulesInForce()).toEqual(['one']);
  });
});
