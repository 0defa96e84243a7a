import { expect, test } from 'vitest';
import { lostInvocations } from '../../../activities/maintenance/lost-invocations.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { findUnsettledInvocations } from '../../../db/invocations/find-unsettled-invocations.ts';
import { withdrawInvocation } from '../../../db/invocations/withdraw-invocation.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';

const world = await ActivityWorld.start();

async function sweep(olderThanSeconds = 0): Promise<{ seen: number; started: InvocationRef[] }> {
  const started: InvocationRef[] = [];
  const deps = world.dependencies({
    startInvocation: (ref) => {
      started.push(ref);
      return Promise.resolve();
    },
  });
  const { seen } = await sweepRows(deps, 'lost-invocations', lostInvocations(olderThanSeconds));
  return { seen, started };
}

test('finds what was admitted or is under way, and nothing that has come to rest', async () => {
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  const { dispatchEffect, settleInvocation, evaluate } = world.activities({ adapterFor });
  const admitted = await world.admit();
  const evaluated = await world.admit();
  await evaluate(evaluated);
  const marked = await world.ready();
  const dispatched = await world.ready();
  await dispatchEffect(dispatched);
  const settled = await world.ready();
  await dispatchEffect(settled);
  await settleInvocation(settled);
  const failed = await world.ready();
  await settleInvocation(failed);
  const withdrawn = await world.admit();
  await world.transaction((tx) => withdrawInvocation(tx, withdrawn.invocationId));

  const { seen, started } = await sweep();
  const { workspaceId, environmentId } = world.database.tenant;
  expect(started).toEqual(
    [admitted, evaluated, marked, dispatched].map(({ invocationId }) => ({ invocationId, workspaceId, environmentId })),
  );
  expect(seen).toBe(4);
  expect(await sweep(3_600)).toEqual({ seen: 0, started: [] });
  // Removed, so that the next test starts without them.
  for (const ref of [admitted, evaluated, marked, dispatched]) {
    const { reserveAndMarkDispatch } = world.activities();
    await evaluate(ref);
    await reserveAndMarkDispatch(ref);
    await settleInvocation(ref);
  }
  expect(await sweep()).toEqual({ seen: 0, started: [] });
});

test('goes through more than a page, each once, in every environment', async () => {
  const refs = [];
  for (let i = 0; i < 250; i++) refs.push(await world.admit());
  const { seen, started } = await sweep();
  expect(seen).toBe(250);
  expect(started.map((ref) => ref.invocationId)).toEqual(refs.map((ref) => ref.invocationId).sort());
});

test('looks at the newest and at a part of the others, and goes on from there, so that none is left out', async () => {
  const all = (await sweep()).started.map((ref) => ref.invocationId);
  const most = 40;
  const look = async (): Promise<string[]> =>
    (await findUnsettledInvocations(world.database.db, { olderThanSeconds: 0, most })).map((ref) => ref.invocationId);
  for (let round = 0; round < 2; round++) {
    const looks: string[][] = [];
    for (let from = 0; from < all.length; from += most) looks.push(await look());
    expect(looks[0]).toEqual([...all.slice(0, most), ...all.slice(-most)]);
    expect(looks[1]).toEqual([...all.slice(most, 2 * most), ...all.slice(-most)]);
    expect([...new Set(looks.flat())].sort()).toEqual(all);
  }
});

test('leaves out what is read back until its outcome is known: its workflow has ended, and its reads have a sweep of their own', async () => {
  const ref = await world.ready();
  const isStarted = async () => (await sweep()).started.some(({ invocationId }) => invocationId === ref.invocationId);
  expect(await isStarted()).toBe(true);
  await world.database.asOwner(
    `SET session_replication_role = 'replica';
     UPDATE effects SET stage = 'reconciling', outcome = 'pending' WHERE id = '${ref.effectId}'`,
  );
  expect(await isStarted()).toBe(false);
});
