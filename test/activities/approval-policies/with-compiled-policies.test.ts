import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { compiledOrEnd, withCompiledPolicies } from '../../../domain/approval-policies/with-compiled-policies.ts';
import { policySets, type UncompiledPolicySet } from '../../../domain/approval-policies/policy-set-cache.ts';

/** A transaction that evaluates policies does not stay open while they are compiled. */

const uncompiled = (revision: number): UncompiledPolicySet => {
  const document = { schema: 'approval-policy/v1', name: 'p', priority: 0, rules: [] } as const;
  const policy = { id: 'pol_1', name: 'p', priority: 0, version: 1, document: { ...document, rules: [] } };
  return { environmentId: 'one', revision, stamp: randomUUID(), policies: [policy], bytes: 0 };
};

test('it ends where the policies are not compiled, and is run again when they are', async () => {
  const policies = uncompiled(7);
  const seen: string[] = [];
  const found = await withCompiledPolicies(async () => {
    seen.push(policySets.find(policies.stamp) === null ? 'not compiled' : 'compiled');
    try {
      return await Promise.resolve(compiledOrEnd(policySets.find(policies.stamp) ?? policies));
    } finally {
      seen.push(policySets.find(policies.stamp) === null ? 'over, not compiled' : 'over, compiled');
    }
  });
  expect(found.revision).toBe(7);
  expect(seen).toEqual(['not compiled', 'over, not compiled', 'compiled', 'over, compiled']);
});

test('policies that change each time end it for good, for its activity to be tried again', async () => {
  let runs = 0;
  const run = withCompiledPolicies(() => Promise.resolve(compiledOrEnd(uncompiled(++runs))));
  await expect(run).rejects.toThrow('the policies of revision 3 are not compiled yet');
  expect(runs).toBe(3);
});

test('any other failure is the caller’s, at once', async () => {
  let runs = 0;
  const run = withCompiledPolicies(() => {
    runs++;
    return Promise.reject(new Error('the database is gone'));
  });
  await expect(run).rejects.toThrow('the database is gone');
  expect(runs).toBe(1);
});
