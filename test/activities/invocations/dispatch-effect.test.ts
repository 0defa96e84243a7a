import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { DispatchResult } from '../../../activities/adapters/adapter.ts';
import { createAdapters } from '../../../activities/adapters/index.ts';
import { Watchdog } from '../../../activities/adapters/watchdog.ts';
import { dispatchEffect } from '../../../activities/invocations/dispatch-effect.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import { deleteSecret, putSecret } from '../../../db/secrets/secrets.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { NEVER_TAKEN_UP } from '../../../domain/settlement.ts';
import { newSecret } from '../previews/support.ts';
import { SetClocks } from '../../harness/set-clocks.ts';
import { startTarget } from '../../harness/target.ts';
import { ACCEPTED, activityEnvironment, ActivityWorld, adapterThat, ANOTHER_VERSION, REJECTED } from './world.ts';

const [world, target] = await Promise.all([ActivityWorld.start(), startTarget()]);

const accepting = () => adapterThat(() => Promise.resolve(ACCEPTED));

const UNKNOWN = {
  invocation: { status: 'unknown', grade: 'unknown' },
  effects: [{ stage: 'reconciling', outcome: 'unknown', partial_effect: 'possible' }],
};
const NOT_SENT = {
  invocation: { status: 'failed', grade: 'failed' },
  effects: [{ stage: 'settled', outcome: 'failed', partial_effect: 'none' }],
};

describe('dispatched more than once', () => {
  test('twice: one call at the target, and the second one knows nothing', async () => {
    const ref = await world.ready({ config: { url: `${target.baseUrl}/orders?twice`, body: { id: 'twice' } } });
    const { dispatchEffect: dispatch } = world.activities();
    expect(await dispatch(ref)).toEqual({ seen: 'recorded', outcome: 'succeeded' });
    const recorded = await world.recorded(ref);
    expect(recorded).toMatchObject({
      attempts: [{ status: 'completed', claimed: true, observed_outcome: 'succeeded' }],
      evidence: [{ source: 'provider_response', implied_outcome: 'succeeded' }],
    });
    expect(await dispatch(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(await world.recorded(ref)).toEqual(recorded);
    expect((await target.requests()).filter((request) => request.url === '/orders?twice')).toHaveLength(1);
  });

  test.each([true, false])('twenty times at once, governed %s: one call at the target', async (governed) => {
    const url = `/orders?twenty&governed=${governed}`;
    const ref = await world.ready({ config: { url: `${target.baseUrl}${url}` }, definition: { governed } });
    const { dispatchEffect: dispatch } = world.activities();
    const answers = await Promise.all(Array.from({ length: 20 }, () => dispatch(ref)));
    expect(answers.filter((answer) => answer.seen === 'recorded')).toHaveLength(1);
    expect(answers.filter((answer) => answer.seen === 'claimed_elsewhere')).toHaveLength(19);
    expect((await target.requests()).filter((request) => request.url === url)).toHaveLength(1);
  });

  test('before it was marked: there is nothing to claim', async () => {
    const ref = await world.admit();
    const { adapterFor, sent } = accepting();
    expect(await world.activities({ adapterFor }).dispatchEffect(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(sent).toEqual([]);
  });

  test('after it was given up: what comes later finds it abandoned and sends nothing', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const { settleInvocation, dispatchEffect: dispatch } = world.activities({ adapterFor });
    expect(await settleInvocation(ref)).toMatchObject({ status: 'failed', grade: 'failed' });
    const settled = await world.recorded(ref);
    expect(settled).toMatchObject({
      ...NOT_SENT,
      attempts: [{ status: 'abandoned', claimed: false, observed_outcome: 'not_dispatched', error: NEVER_TAKEN_UP }],
    });
    expect(await dispatch(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(sent).toEqual([]);
    expect(await world.recorded(ref)).toEqual(settled);
  });
});

describe('the worker dies between the claim and the send', () => {
  test('the claim was not committed: nothing was sent, and the row proves it', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const { dispatchEffect: dispatch, settleInvocation } = world.losing(['before_commit'], { adapterFor });
    await expect(dispatch(ref)).rejects.toThrow(/terminat/);
    expect(sent).toEqual([]);
    await settleInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject(NOT_SENT);
  });

  test('the claim was committed and nobody was told: unknown, and nobody sends', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const { dispatchEffect: dispatch, settleInvocation } = world.losing(['after_commit'], { adapterFor });
    await expect(dispatch(ref)).rejects.toThrow(/terminated/);
    expect(await dispatch(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(sent).toEqual([]);
    await settleInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject(UNKNOWN);
  });

  test('the adapter throws: unknown, nobody sends again, and what it said is kept nowhere', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = adapterThat(() => Promise.reject(new Error('Invalid expression: /sk_live_quoted/')));
    const log: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void log.push(line) });
    const { dispatchEffect: dispatch, settleInvocation } = world.activities({ adapterFor, logger });
    expect(await dispatch(ref)).toEqual({ seen: 'recorded', outcome: 'unknown' });
    expect(await dispatch(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(sent).toHaveLength(1);
    await settleInvocation(ref);
    const recorded = await world.recorded(ref);
    expect(recorded).toMatchObject({
      ...UNKNOWN,
      attempts: [{ status: 'completed', claimed: true, observed_outcome: 'unknown' }],
    });
    expect(log.join('')).toContain('an adapter threw out of a dispatch');
    expect(log.join('') + JSON.stringify(recorded)).not.toContain('quoted');
  });

  test.each([
    ['succeeds', ACCEPTED, 'acknowledged'],
    ['fails', REJECTED, 'failed'],
    ['proves nothing', { kind: 'no_answer', reason: 'reset' } satisfies DispatchResult, 'unknown'],
  ])('the adapter does not return: unknown; a late answer that %s is kept as evidence', async (_, late, grade) => {
    const ref = await world.ready();
    let answer: (result: DispatchResult) => void = () => undefined;
    const { adapterFor, sent } = adapterThat(() => new Promise((resolve) => (answer = resolve)));
    const { dispatchEffect: dispatch, settleInvocation } = world.activities({ adapterFor });
    const hanging = dispatch(ref);
    await expect.poll(() => sent.length).toBe(1);
    expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect(await dispatch(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(await world.recorded(ref)).toMatchObject(UNKNOWN);

    answer(late);
    expect(await hanging).toEqual({ seen: 'too_late' });
    const recorded = await world.recorded(ref);
    expect(recorded.attempts).toMatchObject([{ status: 'abandoned', observed_outcome: 'unknown' }]);
    expect(recorded.evidence).toMatchObject([{ details: { late: true } }]);
    expect(await settleInvocation(ref)).toMatchObject({ grade });
    expect(sent).toHaveLength(1);
  });
});

describe('the database is away between the send and the record', () => {
  test('for a moment: the answer is recorded at the next try, once', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const { dispatchEffect: dispatch } = world.losing([null, 'before_commit', 'before_commit'], { adapterFor });
    expect(await dispatch(ref)).toEqual({ seen: 'recorded', outcome: 'succeeded' });
    expect(sent).toHaveLength(1);
    expect(await world.recorded(ref)).toMatchObject({
      attempts: [{ status: 'completed', observed_outcome: 'succeeded' }],
      evidence: [{ source: 'provider_response', implied_outcome: 'succeeded' }],
    });
  });

  test('at the very commit: it was recorded after all, once, and not as late', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const { dispatchEffect: dispatch } = world.losing([null, 'after_commit'], { adapterFor });
    expect(await dispatch(ref)).toEqual({ seen: 'recorded', outcome: 'succeeded' });
    expect(sent).toHaveLength(1);
    const { evidence } = await world.recorded(ref);
    expect(evidence).toMatchObject([{ source: 'provider_response', implied_outcome: 'succeeded' }]);
    expect(evidence[0]?.details).not.toHaveProperty('late');
  });

  test('for too long: unknown, although the target accepted it, and nobody sends again', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const everyRecord = Array.from({ length: 5 }, () => 'before_commit' as const);
    const { dispatchEffect: dispatch, settleInvocation } = world.losing([null, ...everyRecord], { adapterFor });
    await expect(dispatch(ref)).rejects.toThrow(/terminat/);
    expect(await dispatch(ref)).toEqual({ seen: 'claimed_elsewhere' });
    await settleInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject({ ...UNKNOWN, evidence: [] });
    expect(sent).toHaveLength(1);
  });
});

describe('what is refused, or cannot be made, inside the dispatch', () => {
  const withSecret = { config: { headers: { authorization: 'Bearer {{secret:TOKEN}}' } } };
  const putToken = (): Promise<unknown> =>
    world.transaction((tx) =>
      putSecret(tx, world.vault, { tenant: world.database.tenant, name: 'TOKEN', value: 'the-token' }),
    );

  async function expectRefused(ref: Awaited<ReturnType<ActivityWorld['ready']>>, code: string): Promise<void> {
    expect(await world.activities().settleInvocation(ref)).toMatchObject({ status: 'refused', stage: 'rejected' });
    const refused = await world.recorded(ref);
    expect(refused).toMatchObject({
      invocation: { status: 'refused', grade: 'refused', error: expect.stringContaining(`(${code})`) as string },
      effects: [{ stage: 'rejected', outcome: 'not_dispatched', grade: 'refused', rejection_reason: code }],
      attempts: [{ status: 'completed', observed_outcome: 'not_dispatched' }],
      evidence: [{ source: 'system', implied_outcome: 'not_dispatched' }],
    });
    await world.activities().settleInvocation(ref);
    expect(await world.recorded(ref)).toEqual(refused);
  }

  test('a secret that is gone: rejected, and nothing was sent', async () => {
    const name = await newSecret(world);
    const ref = await world.ready({ config: { headers: { 'x-key': `{{secret:${name}}}` } } });
    await world.transaction((tx) => deleteSecret(tx, name));
    const { adapterFor, sent } = accepting();
    const dispatched = await world.activities({ adapterFor }).dispatchEffect(ref);
    expect(dispatched).toEqual({ seen: 'recorded', outcome: 'not_dispatched' });
    expect(sent).toEqual([]);
    await expectRefused(ref, 'secret_missing');
  });

  test('a blocked destination: rejected, and nothing was sent', async () => {
    const ref = await world.ready({ config: { url: `${target.baseUrl}/blocked` } });
    await world.activities({ adapterFor: createAdapters({ egressAllow: [] }) }).dispatchEffect(ref);
    expect(await target.requests('/blocked')).toEqual([]);
    await expectRefused(ref, 'destination_blocked');
  });

  test('a worker of another version would send something else: rejected, and nothing was sent', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    const descriptor = ANOTHER_VERSION;
    await world.activities({ adapterFor: () => ({ ...adapterFor(), descriptor }) }).dispatchEffect(ref);
    expect(sent).toEqual([]);
    await expectRefused(ref, 'digest_mismatch');
  });

  test('a secret under another master key: not sent, failed, and no part of it took effect', async () => {
    await putToken();
    const ref = await world.ready(withSecret);
    const { adapterFor, sent } = accepting();
    const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
    const { dispatchEffect: dispatch, settleInvocation } = world.activities({ adapterFor, vault });
    expect(await dispatch(ref)).toEqual({ seen: 'recorded', outcome: 'not_dispatched' });
    expect(sent).toEqual([]);
    await settleInvocation(ref);
    const recorded = await world.recorded(ref);
    expect(recorded).toMatchObject(NOT_SENT);
    expect(JSON.stringify(recorded)).not.toContain('the-token');
  });

  test('the database is away while the secret is read: not sent, failed, and no part of it took effect', async () => {
    await putToken();
    const ref = await world.ready(withSecret);
    const { adapterFor, sent } = accepting();
    const { dispatchEffect: dispatch, settleInvocation } = world.losing([null, 'before_commit'], { adapterFor });
    expect(await dispatch(ref)).toEqual({ seen: 'recorded', outcome: 'not_dispatched' });
    expect(sent).toEqual([]);
    await settleInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject(NOT_SENT);
  });
});

test('the worker is paused while its claim is committed: not sent, failed, and no part of it took effect', async () => {
  const ref = await world.ready({ config: { url: `${target.baseUrl}/paused` } });
  const clocks = new SetClocks();
  const laneTakers = new LaneTakers();
  const inTurn: LaneTakers['inTurn'] = async (taker, take) => {
    const taken = await LaneTakers.prototype.inTurn.call(laneTakers, taker, take);
    clocks.pause(15_000);
    clocks.beatNow();
    return taken as never;
  };
  const watchdog = new Watchdog({ logger: pino({ level: 'silent' }), pauses: clocks.pauses });
  const { dispatchEffect: dispatch } = world.activities({
    watchdog,
    laneTakers: Object.assign(laneTakers, { inTurn }),
  });
  expect(await dispatch({ ...ref, settles: true })).toMatchObject({ seen: 'settled', state: { status: 'failed' } });
  expect(await target.requests('/paused')).toEqual([]);
  watchdog.close();
  const error = expect.stringContaining('not sent: the worker was paused for 15000 ms') as string;
  expect(await world.recorded(ref)).toMatchObject({ ...NOT_SENT, attempts: [{ status: 'completed', error }] });
});

test('a call that takes long tells that its worker lives, well within the ten seconds after which it counts as lost', async () => {
  const ref = await world.ready();
  const beats: number[] = [];
  let answer: (result: DispatchResult) => void = () => undefined;
  const { adapterFor } = adapterThat(() => new Promise((resolve) => (answer = resolve)));
  const environment = activityEnvironment();
  environment.on('heartbeat', () => {
    beats.push(Date.now());
    if (beats.length === 2) answer(ACCEPTED);
  });
  const { db } = world.database;
  const deps = { ...world.dependencies({ adapterFor }), db };
  const dispatched = await environment.run(dispatchEffect(deps), ref);
  expect(dispatched).toEqual({ seen: 'recorded', outcome: 'succeeded' });
  const [first = 0, second = Infinity] = beats;
  expect(second - first).toBeLessThan(8_000);
});
