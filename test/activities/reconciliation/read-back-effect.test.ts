import { describe, expect, test } from 'vitest';
import { startReadAttempt } from '../../../db/attempts/replays.ts';
import type { VerifyDeclaration } from '../../../domain/actions.ts';
import type { EffectRef } from '../../../domain/refs.ts';
import { startTarget } from '../../harness/target.ts';
import { ActivityWorld, adapterThat } from '../invocations/world.ts';
import { newSecret, tamper } from '../previews/support.ts';

const [world, target] = await Promise.all([ActivityWorld.start(), startTarget()]);

let orders = 0;

/** An order that the target accepted and whose answer was lost. Its outcome is unknown, and a read-back can find it. */
async function lostOrder(query: string, verify: Partial<VerifyDeclaration> = {}): Promise<EffectRef> {
  const id = `order-${++orders}`;
  const ref = await world.ready({
    config: { url: `${target.baseUrl}/orders?answer=reset&${query}`, body: { id } },
    definition: {
      verify: {
        request: { method: 'GET', url: `${target.baseUrl}/orders/${id}` },
        expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
        pending: [{ path: 'body.state', op: 'eq', value: 'processing' }],
        failed: [{ path: 'body.state', op: 'eq', value: 'declined' }],
        ...verify,
      },
    },
  });
  const { dispatchEffect, settleInvocation } = world.activities();
  await dispatchEffect(ref);
  expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown', grade: 'unknown', stage: 'reconciling' });
  return ref;
}

const sends = async (): Promise<number> =>
  (await target.requests()).filter((request) => request.method !== 'GET').length;

/** Reads once and settles from it, as the reconciliation does. Nothing but a GET may leave. */
async function reconcileOnce(ref: EffectRef) {
  const { readBackEffect, settleInvocation } = world.activities();
  const before = await sends();
  const read = await readBackEffect(ref);
  const state = await settleInvocation(ref);
  expect(await sends()).toBe(before);
  return { read, state };
}

describe('what a read proves about an unknown outcome', () => {
  test('the provider has it: confirmed', async () => {
    const ref = await lostOrder('state=done');
    const { read, state } = await reconcileOnce(ref);
    expect(read).toEqual({ impliedOutcome: 'succeeded' });
    expect(state).toMatchObject({ status: 'succeeded', grade: 'confirmed', stage: 'settled' });
    expect(await world.recorded(ref)).toMatchObject({
      effects: [{ verification: 'provider', partial_effect: 'none' }],
      attempts: [{ kind: 'dispatch' }, { kind: 'reconcile', status: 'completed', observed_outcome: 'succeeded' }],
    });
  });

  test('the provider says that it failed: failed', async () => {
    const { state } = await reconcileOnce(await lostOrder('state=declined'));
    expect(state).toMatchObject({ status: 'failed', grade: 'failed', stage: 'settled' });
  });

  test('the provider is still at it: pending and held, and confirmed once it is done', async () => {
    const ref = await lostOrder('state=processing');
    const { state } = await reconcileOnce(ref);
    expect(state).toMatchObject({ status: 'dispatching', grade: 'pending', stage: 'reconciling' });
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'dispatching', grade: 'pending', settled_at: null },
      effects: [{ outcome: 'pending', partial_effect: 'possible' }],
    });
    expect((await reconcileOnce(ref)).state).toEqual(state);
    const { body } = await lastOrder();
    await fetch(`${target.baseUrl}/orders?state=done`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect((await reconcileOnce(ref)).state).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
  });

  test('nothing there: proves nothing, and stays unknown', async () => {
    const ref = await lostOrder('visibleAfterMs=600000');
    for (let reads = 1; reads <= 3; reads++) {
      expect((await reconcileOnce(ref)).state).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    }
    expect((await world.recorded(ref)).evidence.map((one) => one.implied_outcome)).toEqual(Array(4).fill('unknown'));
  });

  test('nothing there, so often and so late as the action says proves it: failed', async () => {
    const ref = await lostOrder('visibleAfterMs=600000', { absenceProves: { minAgeSeconds: 0, reads: 3 } });
    expect((await reconcileOnce(ref)).state.status).toBe('unknown');
    expect((await reconcileOnce(ref)).state.status).toBe('unknown');
    expect((await reconcileOnce(ref)).state).toMatchObject({ status: 'failed', stage: 'settled' });
  });

  test('nothing there, often but too soon, proves nothing', async () => {
    const ref = await lostOrder('visibleAfterMs=600000', { absenceProves: { minAgeSeconds: 3_600, reads: 1 } });
    expect((await reconcileOnce(ref)).state.status).toBe('unknown');
    expect((await reconcileOnce(ref)).state.status).toBe('unknown');
  });
});

describe('nothing there proves nothing while the provider may not have had its time', () => {
  const found = async (ref: EffectRef) => (await reconcileOnce(ref)).state.status;

  test('though the dispatch waited for its turn that long before it was sent', async () => {
    const ref = await lostOrder('visibleAfterMs=600000', { absenceProves: { minAgeSeconds: 600, reads: 1 } });
    await tamper(
      world,
      `UPDATE effects SET first_dispatched_at = now() - interval '1 hour' WHERE id = '${ref.effectId}'`,
    );
    expect(await found(ref)).toBe('unknown');
    await tamper(
      world,
      `UPDATE attempts SET finished_at = now() - interval '11 minutes' WHERE invocation_id = '${ref.invocationId}'`,
    );
    expect(await found(ref)).toBe('failed');
  });

  test('while the call of a lost worker may still run', async () => {
    const ref = await lostOrder('visibleAfterMs=600000', { absenceProves: { minAgeSeconds: 0, reads: 1 } });
    const abandon = (claimed: string) =>
      tamper(
        world,
        `UPDATE attempts SET status = 'abandoned', claimed_at = now() - interval '${claimed}' WHERE invocation_id = '${ref.invocationId}' AND kind = 'dispatch'`,
      );
    await abandon('0 s');
    expect(await found(ref)).toBe('unknown');
    await abandon('1 hour');
    expect(await found(ref)).toBe('failed');
  });

  test('where it was seen before the newest call', async () => {
    const ref = await lostOrder('visibleAfterMs=600000', { absenceProves: { minAgeSeconds: 0, reads: 2 } });
    expect(await found(ref)).toBe('unknown');
    await tamper(
      world,
      `UPDATE attempts SET claimed_at = now(), finished_at = now() WHERE invocation_id = '${ref.invocationId}' AND kind = 'dispatch'`,
    );
    expect(await found(ref)).toBe('unknown');
    expect(await found(ref)).toBe('failed');
  });
});

async function lastOrder(): Promise<{ body: string }> {
  const made = (await target.requests('/orders')).at(-1);
  return { body: made?.body ?? '' };
}

describe('a read that decides the outcome settles it in the transaction of its record', () => {
  test.each([
    ['done', { status: 'succeeded', grade: 'confirmed' }],
    ['declined', { status: 'failed', grade: 'failed' }],
    ['processing', { status: 'dispatching', grade: 'pending' }],
  ])('%s', async (state, invocation) => {
    const ref = await lostOrder(`state=${state}`);
    await world.activities().readBackEffect(ref);
    expect(await world.recorded(ref)).toMatchObject({ invocation });
  });
});

describe('the worker or its database dies', () => {
  test('before the read: nothing is left, and the next one reads', async () => {
    const ref = await lostOrder('state=done');
    const { readBackEffect } = world.losing(['before_commit']);
    await expect(readBackEffect(ref)).rejects.toThrow(/terminat/);
    expect((await world.recorded(ref)).attempts).toMatchObject([{ kind: 'dispatch' }]);
    expect(await readBackEffect(ref)).toEqual({ impliedOutcome: 'succeeded' });
  });

  test.each(['before_commit', 'after_commit'] as const)(
    'after the read, %s of its record: another read settles it',
    async (loss) => {
      const ref = await lostOrder('state=done');
      const { readBackEffect, settleInvocation } = world.losing([null, loss]);
      await expect(readBackEffect(ref)).rejects.toThrow(/terminat/);
      expect(await readBackEffect(ref)).toEqual({ impliedOutcome: 'succeeded' });
      expect(await settleInvocation(ref)).toMatchObject({ grade: 'confirmed' });
      expect((await world.recorded(ref)).attempts).toMatchObject([
        { kind: 'dispatch' },
        { kind: 'reconcile', status: loss === 'before_commit' ? 'abandoned' : 'completed' },
        { kind: 'reconcile', status: 'completed' },
      ]);
    },
  );

  test('in the middle of a read: the next one closes its attempt and reads', async () => {
    const ref = await lostOrder('state=done');
    await world.transaction((tx) => startReadAttempt(tx, ref.invocationId));
    expect((await reconcileOnce(ref)).state).toMatchObject({ grade: 'confirmed' });
    expect((await world.recorded(ref)).attempts).toMatchObject([
      { number: 1, kind: 'dispatch' },
      { number: 2, kind: 'reconcile', status: 'abandoned' },
      { number: 3, kind: 'reconcile', status: 'completed' },
    ]);
  });
});

describe('read more than once', () => {
  test('ten times at once: ten reads, one settled outcome, and the evidence of each', async () => {
    const ref = await lostOrder('state=done');
    const { readBackEffect, settleInvocation } = world.activities();
    const reads = await Promise.all(Array.from({ length: 10 }, () => readBackEffect(ref)));
    for (const read of reads) expect(read).toEqual({ impliedOutcome: 'succeeded' });
    expect(await settleInvocation(ref)).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    const { attempts, evidence } = await world.recorded(ref);
    expect(attempts.map((attempt) => attempt.number)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
    expect(attempts.filter((attempt) => attempt.status === 'started')).toEqual([]);
    expect(evidence.filter((one) => one.source === 'provider_lookup')).toHaveLength(10);
  });

  test('after it was settled: evidence is appended, and the outcome stays', async () => {
    const ref = await lostOrder('state=declined');
    await reconcileOnce(ref);
    const { effects } = await world.recorded(ref);
    expect((await reconcileOnce(ref)).state).toMatchObject({ status: 'failed' });
    expect((await world.recorded(ref)).effects).toEqual(effects);
  });
});

describe('what is planned', () => {
  test('twice is the same as once, and the end of the schedule is on record', async () => {
    const ref = await lostOrder('visibleAfterMs=600000');
    const { planReconciliation, exhaustReconciliation } = world.activities();
    const nextAt = new Date(Date.now() + 30_000).toISOString();
    await reconcileOnce(ref);
    await planReconciliation(ref, 1, nextAt);
    await planReconciliation(ref, 1, nextAt);
    expect((await world.recorded(ref)).effects).toMatchObject([{ reconcile_attempts: 1, reconcile_exhausted: false }]);
    await exhaustReconciliation(ref, 11);
    await exhaustReconciliation(ref, 11);
    expect((await world.recorded(ref)).effects).toMatchObject([
      // The real number of reads, independent of the schedule's count.
      { reconcile_attempts: 1, reconcile_exhausted: true, reconcile_next_at: null, stage: 'reconciling' },
    ]);
  });

  test('after it was settled changes nothing', async () => {
    const ref = await lostOrder('state=done');
    await reconcileOnce(ref);
    const settled = await world.recorded(ref);
    const { planReconciliation, exhaustReconciliation } = world.activities();
    await planReconciliation(ref, 7, new Date().toISOString());
    await exhaustReconciliation(ref, 7);
    expect(await world.recorded(ref)).toEqual(settled);
  });
});

test('an adapter that throws out of a read: nothing is proven, and what it said is kept nowhere', async () => {
  const ref = await lostOrder('state=done');
  const readBack = () => Promise.reject(new Error('Invalid expression: /sk_live_quoted/'));
  const adapterFor = () => ({ ...adapterThat(readBack).adapterFor(), readBack });
  expect(await world.activities({ adapterFor }).readBackEffect(ref)).toEqual({ impliedOutcome: 'unknown' });
  const recorded = await world.recorded(ref);
  expect(recorded.evidence.at(-1)).toMatchObject({ source: 'provider_lookup', implied_outcome: 'unknown' });
  expect(JSON.stringify(recorded)).not.toContain('quoted');
});

test('a credential that does not open: nothing is sent or proven, evidence says why, and no place is kept', async () => {
  const secret = await newSecret(world);
  const headers = { Authorization: `{{secret:${secret}}}` };
  const ref = await lostOrder('state=done', {
    request: { method: 'GET', url: `${target.baseUrl}/orders/order-1`, headers },
  });
  const changed = 'set_byte(sealed_value, 0, get_byte(sealed_value, 0) # 1)';
  await tamper(
    world,
    `UPDATE secret_versions SET sealed_value = ${changed} WHERE secret_id IN (SELECT id FROM secrets WHERE name = '${secret}')`,
  );
  const before = (await target.requests()).length;
  expect((await reconcileOnce(ref)).read).toEqual({ impliedOutcome: 'unknown' });
  expect(await target.requests()).toHaveLength(before);
  const { evidence, attempts } = await world.recorded(ref);
  expect(evidence.at(-1)).toMatchObject({
    source: 'provider_lookup',
    implied_outcome: 'unknown',
    summary: 'cannot read back: a credential does not open',
  });
  expect(attempts.at(-1)).toMatchObject({ kind: 'reconcile', status: 'completed' });
  const places = 'SELECT FROM lane_places WHERE holder = $1';
  expect(await world.database.asOwner(places, [ref.effectId])).toEqual([]);
});
