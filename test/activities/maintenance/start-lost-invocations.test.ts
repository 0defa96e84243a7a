import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withdrawInvocation } from '../../../db/invocations/withdraw-invocation.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';

let world: ActivityWorld;
const left: InvocationRef[] = [];
beforeAll(async () => {
  world = await ActivityWorld.start();
});
afterAll(async () => world.close());
beforeEach(() => void left.splice(0));

async function sweep(
  olderThanSeconds = 0,
  start: (ref: InvocationRef) => Promise<void> = () => Promise.resolve(),
): Promise<{ seen: number; started: InvocationRef[] }> {
  const started: InvocationRef[] = [];
  const { startLostInvocations } = world.activities({
    startInvocation: async (ref) => {
      await start(ref);
      started.push(ref);
    },
  });
  return { seen: await startLostInvocations(olderThanSeconds), started };
}

test('finds what was admitted or is under way, and nothing that has come to rest', async () => {
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  const { dispatchEffect, settleInvocation, evaluateInvocation } = world.activities({ adapterFor });
  const admitted = await world.admit();
  const evaluated = await world.admit();
  await evaluateInvocation(evaluated);
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
  // The next test begins without them.
  for (const ref of [admitted, evaluated, marked, dispatched]) {
    const { reserveAndMarkDispatch } = world.activities();
    await evaluateInvocation(ref);
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
  left.push(...refs);
});

test('one that cannot be started does not keep the others from it, and the failure is told', async () => {
  const { started: before } = await sweep();
  const poison = before[3]?.invocationId;
  const tried: string[] = [];
  const sweeping = sweep(0, async (ref) => {
    tried.push(ref.invocationId);
    if (ref.invocationId === poison) throw new Error('this one is refused');
  });
  await expect(sweeping).rejects.toThrow('this one is refused');
  expect(tried).toEqual(before.map((ref) => ref.invocationId));
});

test('deletes the claims of Idempotency-Keys that are past their time, in batches, and no other', async () => {
  const plant = (prefix: string, count: number, expiry: string): Promise<unknown> =>
    world.database.asOwner(
      `INSERT INTO idempotency_claims (environment_id, key, request_digest, holder, lease_expires_at, expires_at)
       SELECT $1, $2 || n, 'sha256:0', gen_random_uuid(), now(), now() + $4::interval FROM generate_series(1, $3) n`,
      [world.database.tenant.environmentId, prefix, count, expiry],
    );
  await plant('old', 2_100, '-1 second');
  await plant('live', 3, '1 hour');
  const { deleteExpiredIdempotencyClaims } = world.activities();
  expect(await deleteExpiredIdempotencyClaims()).toBe(2_100);
  expect(await deleteExpiredIdempotencyClaims()).toBe(0);
  expect(await world.database.asOwner('SELECT key FROM idempotency_claims ORDER BY key')).toHaveLength(3);
});
