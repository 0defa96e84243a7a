import { describe, expect, test } from 'vitest';
import { claimDispatch } from '../../../db/attempts/dispatches.ts';
import { completeAttempt } from '../../../db/attempts/ends.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { appendEvidence } from '../../../db/effects/evidence.ts';
import type { EffectRef, InvocationState } from '../../../domain/refs.ts';
import { WORKER_LOST } from '../../../domain/settlement.ts';
import { ACCEPTED, ActivityWorld, adapterThat, type Admission } from './world.ts';

const world = await ActivityWorld.start();

const PLAIN: Admission = { definition: { governed: false } };

async function claimed(admission: Admission = {}): Promise<EffectRef> {
  const ref = await world.ready(admission);
  await world.transaction((tx) => claimDispatch(tx, ref.invocationId));
  return ref;
}

async function accepted(admission: Admission = {}): Promise<EffectRef> {
  const ref = await world.ready(admission);
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  await world.activities({ adapterFor }).dispatchEffect(ref);
  return ref;
}

describe.each([
  ['governed', {}],
  ['plain', PLAIN],
])('a %s dispatch', (_, admission: Admission) => {
  test('that was claimed and never recorded is unknown, however often it is settled', async () => {
    const ref = await claimed(admission);
    const { settleInvocation } = world.activities();
    const first = await settleInvocation(ref);
    expect(first).toMatchObject({ status: 'unknown', grade: 'unknown' });
    const settled = await world.recorded(ref);
    expect(settled).toMatchObject({
      invocation: { status: 'unknown', error: WORKER_LOST, settled_at: null },
      attempts: [{ status: 'abandoned', claimed: true, observed_outcome: 'unknown' }],
    });
    expect(await Promise.all(Array.from({ length: 10 }, () => settleInvocation(ref)))).toEqual(Array(10).fill(first));
    expect(await world.recorded(ref)).toEqual(settled);
  });

  test('that was recorded is settled from its record, twenty times at once', async () => {
    const ref = await accepted(admission);
    const { settleInvocation } = world.activities();
    const states = await Promise.all(Array.from({ length: 20 }, () => settleInvocation(ref)));
    expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(1);
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'succeeded', grade: 'acknowledged', error: null, result: { status: 200 } },
    });
  });

  test('is settled again after a crash before the commit, and not again after one behind it', async () => {
    const ref = await accepted(admission);
    const { settleInvocation } = world.losing(['before_commit', 'after_commit']);
    await expect(settleInvocation(ref)).rejects.toThrow(/terminat/);
    expect(await world.recorded(ref)).toMatchObject({ invocation: { status: 'dispatching' } });
    await expect(settleInvocation(ref)).rejects.toThrow(/terminated/);
    const settled = await world.recorded(ref);
    expect(await settleInvocation(ref)).toMatchObject({ status: 'succeeded' });
    expect(await world.recorded(ref)).toEqual(settled);
  });

  test('that is being claimed at this moment is not taken for an unclaimed one', async () => {
    const ref = await world.ready(admission);
    const state = await settledBehind(ref, async (tx) => void (await claimDispatch(tx, ref.invocationId)));
    expect(state).toMatchObject({ status: 'unknown', grade: 'unknown' });
    expect((await world.recorded(ref)).attempts).toMatchObject([{ status: 'abandoned', observed_outcome: 'unknown' }]);
  });

  test('whose answer is being recorded at this moment is settled from it', async () => {
    const ref = await claimed(admission);
    const state = await settledBehind(ref, (tx) => recordAcceptance(tx, ref));
    expect(state).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
  });
});

/** Settles while another transaction has done `first` and not yet committed it. */
async function settledBehind(
  ref: EffectRef,
  first: (tx: EnvironmentTransaction) => Promise<void>,
): Promise<InvocationState> {
  let settling: Promise<InvocationState> | undefined;
  await world.transaction(async (tx) => {
    await first(tx);
    settling = world.activities().settleInvocation(ref);
    await expect.poll(waitingForALock).toBe(1);
  });
  if (settling === undefined) throw new Error('it was started inside the transaction');
  return settling;
}

const waitingForALock = () => world.database.lockWaits();

async function recordAcceptance(tx: EnvironmentTransaction, ref: EffectRef): Promise<void> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(null, 'SELECT id FROM attempts WHERE invocation_id = ?', [
    ref.invocationId,
  ]);
  await completeAttempt(tx, rows[0]?.id ?? '', {
    observedOutcome: 'succeeded',
    refusal: null,
    error: null,
    response: null,
  });
  if (ref.effectId === '') return;
  await appendEvidence(tx, {
    effectId: ref.effectId,
    source: 'provider_response',
    observedAt: new Date(),
    impliedOutcome: 'succeeded',
    summary: 'POST answered 200',
    actor: { type: 'service', id: null },
  });
}

test('there is nothing to settle before the fence stands, and nothing is changed', async () => {
  const ref = await world.admit();
  const before = await world.recorded(ref);
  await expect(world.activities().settleInvocation(ref)).rejects.toThrow(/the dispatch of invocation .* is gone/);
  expect(await world.recorded(ref)).toEqual(before);
});

describe('a settled outcome never moves back', () => {
  const CONFIRMED = 'provider_lookup';

  async function read(ref: EffectRef, impliedOutcome: 'succeeded' | 'failed'): Promise<void> {
    await world.transaction((tx) =>
      appendEvidence(tx, {
        effectId: ref.effectId,
        source: CONFIRMED,
        observedAt: new Date(),
        impliedOutcome,
        summary: `the read-back says ${impliedOutcome}`,
        actor: { type: 'service', id: null },
      }),
    );
  }

  test('by what is read later', async () => {
    const ref = await accepted();
    const { settleInvocation } = world.activities();
    await settleInvocation(ref);
    await read(ref, 'failed');
    expect(await settleInvocation(ref)).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
  });

  test('nor does an unknown that was settled by a read go back to unknown', async () => {
    const ref = await claimed();
    const { settleInvocation } = world.activities();
    await settleInvocation(ref);
    await read(ref, 'failed');
    expect(await settleInvocation(ref)).toMatchObject({ status: 'failed', stage: 'settled' });
    await read(ref, 'succeeded');
    expect(await settleInvocation(ref)).toMatchObject({ status: 'failed', stage: 'settled' });
  });

  // What a mistake of ours, or an intruder with the application's login, could try.
  const RAW: [string, string, RegExp][] = [
    ['effect to unknown', `UPDATE effects SET stage = 'reconciling', outcome = 'unknown'`, /cannot move from/],
    ['effect to another outcome', `UPDATE effects SET outcome = 'failed'`, /cannot move from outcome/],
    ['effect to ready', `UPDATE effects SET stage = 'ready', outcome = 'not_dispatched'`, /cannot move from/],
    ['effect to rejected', `UPDATE effects SET stage = 'rejected', rejection_reason = 'x'`, /cannot move from/],
    ['effect by another source', `UPDATE effects SET outcome_source = 'system'`, /cannot move from source/],
    ['effect with a grade of its own', `UPDATE effects SET grade = 'confirmed'`, /can only be updated to DEFAULT/],
    ['effect away', `DELETE FROM effects`, /permission denied/],
    ['invocation to unknown', `UPDATE invocations SET status = 'unknown'`, /cannot move from succeeded/],
    ['invocation to dispatching', `UPDATE invocations SET status = 'dispatching'`, /cannot move from succeeded/],
    ['invocation to queued', `UPDATE invocations SET status = 'queued'`, /cannot move from succeeded/],
    ['invocation to refused', `UPDATE invocations SET status = 'refused'`, /cannot move from succeeded/],
    ['invocation under another key', `UPDATE invocations SET operation_key = 'other'`, /is immutable/],
    ['invocation away', `DELETE FROM invocations`, /has begun and stays/],
    ['attempt open', `UPDATE attempts SET status = 'started', finished_at = NULL`, /is closed/],
    ['attempt unclaimed', `UPDATE attempts SET claimed_at = NULL`, /is closed/],
    ['attempt with another answer', `UPDATE attempts SET observed_outcome = 'failed'`, /is closed/],
    ['attempt away', `DELETE FROM attempts`, /permission denied/],
    ['evidence changed', `UPDATE evidence SET implied_outcome = 'failed'`, /permission denied/],
    ['evidence away', `DELETE FROM evidence`, /permission denied/],
  ];

  test('by raw SQL as the application', async () => {
    const ref = await accepted();
    await world.activities().settleInvocation(ref);
    const settled = await world.recorded(ref);
    const KEYS: Record<string, string> = { invocations: 'id', evidence: 'effect_id' };
    for (const [what, sql, refusal] of RAW) {
      const table = /(?:UPDATE|FROM) (\w+)/.exec(sql)?.[1] ?? '';
      const key = KEYS[table] ?? 'invocation_id';
      const value = table === 'evidence' ? ref.effectId : ref.invocationId;
      await expect(
        world.transaction((tx) => tx.raw(null, `${sql} WHERE ${key} = ?`, [value])),
        what,
      ).rejects.toThrow(refusal);
    }
    await expect(
      world.transaction((tx) =>
        tx.raw(
          null,
          `INSERT INTO attempts (id, environment_id, invocation_id, number, kind) VALUES ('att_second', current_environment_id(), ?, 2, 'dispatch')`,
          [ref.invocationId],
        ),
      ),
      'a second dispatch',
    ).rejects.toThrow(/attempts_one_dispatch/);
    expect(await world.recorded(ref)).toEqual(settled);
  });

  test('and a claim, once made, is neither undone nor moved', async () => {
    const ref = await claimed();
    for (const value of ['NULL', `now() + interval '1 hour'`]) {
      await expect(
        world.transaction((tx) =>
          tx.raw(null, `UPDATE attempts SET claimed_at = ${value} WHERE invocation_id = ?`, [ref.invocationId]),
        ),
      ).rejects.toThrow(/was claimed before/);
    }
  });
});
