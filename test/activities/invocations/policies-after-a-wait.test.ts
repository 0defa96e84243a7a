import { expect, test } from 'vitest';
import { archivePolicy, createPolicy } from '../../../db/approval-policies/changes.ts';
import { parsePolicyDocument } from '../../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../../domain/approval-policies/files.ts';
import type { PolicyEffect } from '../../../domain/approval-policies/verdict.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from './world.ts';

/** An invocation that waited for other effects is sent only if the current policies allow it too. */

const world = await ActivityWorld.start();

/** Activates a policy, and returns a function that deactivates it. */
async function policy(effect: PolicyEffect): Promise<() => Promise<void>> {
  const parsed = parsePolicyDocument({
    schema: 'approval-policy/v1',
    name: effect,
    rules: [{ id: 'all', match: {}, effect }],
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { document } = parsed;
  const version = {
    document,
    digest: documentDigestOf(document),
    createdBy: { type: 'api_key', id: 'key_test' },
  } as const;
  const { id } = await world.transaction((tx) => createPolicy(tx, version));
  return () => world.transaction((tx) => archivePolicy(tx, id));
}

test.each<[PolicyEffect | null, string, string | null]>([
  [null, 'dispatching', null],
  ['allow', 'dispatching', null],
  ['deny', 'refused', 'policy_denied'],
  ['require_approval', 'refused', 'policy_denied'],
])('a policy that says %s since it began to wait: %s', async (effect, status, reason) => {
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  const activities = world.activities({ adapterFor });
  const awaited = await world.ready();
  const waiting = [
    await world.admit({ dependsOn: [awaited.effectId] }),
    await world.admit({ dependsOn: [awaited.effectId] }),
  ] as const;
  for (const each of waiting)
    expect(await activities.judgeInvocation(each)).toMatchObject({ next: 'wait_for_effects' });
  const takeOut = effect === null ? null : await policy(effect);
  await activities.dispatchEffect({ ...awaited, settles: true });
  await activities.judgeInvocation(waiting[0]);
  await activities.judgeInvocation(waiting[1]); // by a worker whose first step was lost
  for (const each of waiting) {
    const { effects, invocation } = await world.recorded(each);
    expect([invocation?.status, effects[0]?.rejection_reason]).toEqual([status, reason]);
    expect(invocation?.error ?? '').toContain(effect === 'require_approval' ? 'ask for an approval' : '');
  }
  await takeOut?.();
});
