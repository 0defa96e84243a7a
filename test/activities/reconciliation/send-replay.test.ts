import { describe, expect, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { Adapter, DispatchInput, DispatchResult } from '../../../activities/adapters/adapter.ts';
import { REPLAY_NOT_TAKEN_UP } from '../../../activities/reconciliation/send-replay.ts';
import { startReplay } from '../../../db/attempts/replays.ts';
import { appendEvidence } from '../../../db/effects/evidence.ts';
import { putSecret } from '../../../db/secrets/secrets.ts';
import { lockResolvableInvocation } from '../../../db/reconciliation/resolution.ts';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import type { EffectRef, ReplayRef } from '../../../domain/refs.ts';
import { WORKER_LOST } from '../../../domain/settlement.ts';
import {
  ACCEPTED,
  activityEnvironment,
  ActivityWorld,
  type Admission,
  type Loss,
  REJECTED,
} from '../invocations/world.ts';

const world = await ActivityWorld.start();

const LOST: DispatchResult = { kind: 'no_answer', reason: 'reset' };
const SAVED_500: DispatchResult = { ...ACCEPTED, outcome: 'unknown', summary: 'POST answered 500' };

/** A provider that answers as listed, one call after the other, and remembers idempotency keys for an hour. */
function provider(...answers: (DispatchResult | (() => Promise<DispatchResult>))[]) {
  const sent: DispatchInput[] = [];
  const adapter: Adapter = {
    descriptor: {
      ...httpRequestDescriptor,
      capabilitiesFor: (definition) => ({
        ...httpRequestDescriptor.capabilitiesFor(definition),
        replay: true,
        idempotencyWindowSeconds: 3_600,
      }),
    },
    dispatch: (input) => {
      sent.push(input);
      const answer = answers[sent.length - 1] ?? LOST;
      return typeof answer === 'function' ? answer() : Promise.resolve(answer);
    },
    readBack: () => Promise.reject(new Error('nothing is read here')),
  };
  const adapterFor = () => adapter;
  const replaying = (losses: readonly Loss[] = []): Pick<Activities, 'sendReplay' | 'settleReplay'> => {
    const activities = losses.length > 0 ? world.losing(losses, { adapterFor }) : world.activities({ adapterFor });
    return { ...activities, sendReplay: (ref) => activityEnvironment().run(activities.sendReplay, ref) };
  };
  return { sent, activities: world.activities({ adapterFor }), ...replaying(), replaying };
}

/** A state that our code cannot produce. */
const withoutTriggers = (sql: string) => world.database.asOwner(`SET session_replication_role = 'replica'; ${sql}`);

/** Sent once, its answer lost, and a replay of it fenced. */
async function fenced(fake: ReturnType<typeof provider>, admission: Admission = {}): Promise<ReplayRef> {
  const ref = await world.admit(admission);
  const evaluation = await fake.activities.judgeInvocation(ref);
  if (evaluation.next !== 'send') throw new Error(evaluation.next);
  await fake.activities.dispatchEffect({ ...ref, settles: true });
  const effect: EffectRef = { ...ref, effectId: evaluation.effectId ?? '' };
  return { ...effect, attemptId: await world.transaction((tx) => startReplay(tx, ref.invocationId)) };
}

describe('a replay', () => {
  test('is the same request, told apart by its kind alone, and its answer counts as the answer', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    expect(await fake.sendReplay(ref)).toEqual({ sent: true });
    expect(await fake.settleReplay(ref)).toMatchObject({
      status: 'succeeded',
      grade: 'acknowledged',
      stage: 'settled',
    });
    const [first, second] = fake.sent;
    expect(second?.request).toEqual(first?.request);
    expect([first?.kind, second?.kind]).toEqual(['dispatch', 'replay']);
  });

  test('whose secret was replaced since sends nothing: the account may be another one, which knows no such key', async () => {
    const { tenant } = world.database;
    const rotate = (value: string) =>
      world.transaction((tx) => putSecret(tx, world.vault, { tenant, name: 'ACCOUNT', value }));
    await rotate('the first account');
    const withSecret = { config: { headers: { authorization: 'Bearer {{secret:ACCOUNT}}' } } };
    const [kept, changed] = [provider(LOST, ACCEPTED), provider(LOST, ACCEPTED)];
    const [keptRef, changedRef] = [await fenced(kept, withSecret), await fenced(changed, withSecret)];
    expect(await kept.sendReplay(keptRef)).toEqual({ sent: true });
    await rotate('the second account');
    expect(await changed.sendReplay(changedRef)).toEqual({ sent: false });
    expect(changed.sent).toHaveLength(1);
    expect(await changed.settleReplay(changedRef)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    const { attempts, evidence } = await world.recorded(changedRef);
    expect(attempts.at(-1)).toMatchObject({ kind: 'replay', observed_outcome: 'not_dispatched' });
    expect(JSON.stringify(evidence)).toContain(
      'secret ACCOUNT was replaced after the first request (version 1, now 2)',
    );
  });

  test('whose answer is a saved 500, or that was lost too, leaves it unknown', async () => {
    for (const answer of [SAVED_500, LOST]) {
      const fake = provider(LOST, answer);
      const ref = await fenced(fake);
      await fake.sendReplay(ref);
      expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    }
  });

  test('that was provably not sent says nothing about the first request', async () => {
    const fake = provider(LOST, { kind: 'not_sent', reason: 'no connection' });
    const ref = await fenced(fake);
    expect(await fake.sendReplay(ref)).toEqual({ sent: false });
    expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown' });
    expect((await world.recorded(ref)).evidence.at(-1)).toMatchObject({ source: 'system', implied_outcome: null });
  });

  test('is claimed once: twenty at once send one', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    const all = await Promise.all(Array.from({ length: 20 }, () => fake.sendReplay(ref)));
    expect(all.filter((replayed) => 'sent' in replayed && replayed.sent)).toHaveLength(1);
    expect(fake.sent).toHaveLength(2);
  });

  test('whose worker is lost after the claim leaves it unknown, and nobody sends it again', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    await expect(fake.replaying(['after_commit']).sendReplay(ref)).rejects.toThrow(/terminated/);
    expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect((await world.recorded(ref)).attempts).toMatchObject([
      { kind: 'dispatch' },
      { kind: 'replay', status: 'abandoned', claimed: true, observed_outcome: 'unknown', error: WORKER_LOST },
    ]);
    expect(await fake.sendReplay(ref)).toEqual({ sent: false });
    expect(fake.sent).toHaveLength(1);
  });

  test('that nobody took up provably sent nothing, and cannot be taken up later', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown' });
    expect((await world.recorded(ref)).attempts.at(-1)).toMatchObject({
      status: 'abandoned',
      claimed: false,
      observed_outcome: 'not_dispatched',
      error: REPLAY_NOT_TAKEN_UP,
    });
    expect(await fake.sendReplay(ref)).toEqual({ sent: false });
    expect(fake.sent).toHaveLength(1);
  });

  test('is settled in the transaction of its record, since nothing else may come to it', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    await fake.replaying([null, 'before_commit']).sendReplay(ref);
    expect((await world.recorded(ref)).invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
  });

  test.each<Loss>([null, 'before_commit'])(
    'whose answer comes after it was given up settles at once, %s',
    async (loss) => {
      const late = { ref: null as ReplayRef | null };
      const fake = provider(LOST, async () => {
        if (late.ref) await fake.settleReplay(late.ref);
        return ACCEPTED;
      });
      late.ref = await fenced(fake);
      await fake.replaying([null, loss]).sendReplay(late.ref);
      expect((await world.recorded(late.ref)).invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
      expect(await fake.settleReplay(late.ref)).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    },
  );

  test.each<[string, DispatchResult]>([
    ['was rejected', REJECTED],
    ['never left', { kind: 'not_sent', reason: 'no connection' }],
  ])('that is unanswered keeps it unknown although the first request %s, as it turns out late', async (_, answer) => {
    const admitted = await world.admit();
    const late: { replay: ReplayRef | null } = { replay: null };
    const fake = provider(async () => {
      if (!late.replay) throw new Error('it was evaluated before');
      expect(await fake.activities.settleInvocation(late.replay)).toMatchObject({ status: 'unknown' });
      late.replay.attemptId = await world.transaction((tx) => startReplay(tx, admitted.invocationId));
      expect(await fake.sendReplay(late.replay)).toEqual({ sent: true });
      return answer;
    }, LOST);
    const evaluation = await fake.activities.judgeInvocation(admitted);
    if (evaluation.next !== 'send') throw new Error(evaluation.next);
    const ref = (late.replay = { ...admitted, effectId: evaluation.effectId ?? '', attemptId: '' });
    expect(await fake.activities.dispatchEffect({ ...admitted, settles: true })).toEqual({ seen: 'too_late' });
    expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect((await world.recorded(ref)).effects).toMatchObject([{ outcome: 'unknown' }]);
  });

  test('is not claimed once the outcome is known, nor when the window closes before a worker takes it up', async () => {
    const known = provider(LOST, ACCEPTED, ACCEPTED);
    const ref = await fenced(known);
    await world.database.asOwner(
      `UPDATE effects SET stage = 'settled', outcome = 'succeeded', outcome_source = 'provider_lookup', outcome_at = now() WHERE id = $1`,
      [ref.effectId],
    );
    expect(await known.sendReplay(ref)).toEqual({ sent: false });
    const late = provider(LOST, ACCEPTED);
    const closing = await fenced(late);
    await world.database.asOwner(
      `UPDATE effects SET first_dispatched_at = now() - interval '3538 seconds' WHERE id = $1`,
      [closing.effectId],
    );
    expect(await late.sendReplay(closing)).toEqual({ sent: false });
    expect([known.sent.length, late.sent.length]).toEqual([1, 1]);
  });

  test('is not claimed once a read has found two records, though it was fenced before', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    await world.transaction((tx) =>
      appendEvidence(tx, {
        effectId: ref.effectId,
        source: 'provider_lookup',
        observedAt: new Date(),
        impliedOutcome: null,
        summary: 'two records',
        details: { kind: 'ambiguous' },
        actor: { type: 'service', id: null },
      }),
    );
    expect(await fake.sendReplay(ref)).toEqual({ sent: false });
    expect(fake.sent).toHaveLength(1);
    expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
  });

  test('is refused where the request would differ from the one that was sent', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    await withoutTriggers(`UPDATE effects SET request_digest = 'sha256:other' WHERE id = '${ref.effectId}'`);
    expect(await fake.sendReplay(ref)).toEqual({ sent: false });
    expect(await fake.settleReplay(ref)).toMatchObject({ status: 'unknown' });
    expect((await world.recorded(ref)).attempts.at(-1)?.error).toContain('digest_mismatch');
    expect(fake.sent).toHaveLength(1);
  });

  test('one is open at a time, and one that was lost with its workflow is closed by the next look', async () => {
    const fake = provider(LOST, ACCEPTED);
    const ref = await fenced(fake);
    await expect(world.transaction((tx) => startReplay(tx, ref.invocationId))).rejects.toThrow(
      /attempts_one_open_replay/,
    );
    const openNow = async () =>
      (await world.transaction((tx) => lockResolvableInvocation(tx, ref.invocationId)))?.effect?.openReplay;
    expect(await openNow()).toBe(true);
    await withoutTriggers(`UPDATE attempts SET started_at = now() - interval '1 hour' WHERE id = '${ref.attemptId}'`);
    await withoutTriggers(`UPDATE attempts SET claimed_at = now() WHERE id = '${ref.attemptId}'`);
    expect(await openNow()).toBe(true); // fenced while no worker ran, and sent just now
    await withoutTriggers(`UPDATE attempts SET claimed_at = started_at WHERE id = '${ref.attemptId}'`);
    expect(await openNow()).toBe(false);
    await world.transaction((tx) => startReplay(tx, ref.invocationId));
  });
});
