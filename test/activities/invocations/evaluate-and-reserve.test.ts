import { expect, test } from 'vitest';
import { archiveAction } from '../../../db/actions/archive-action.ts';
import { lockAction } from '../../../db/actions/lock-action.ts';
import { updateAction } from '../../../db/actions/update-action.ts';
import { lockInvocation } from '../../../db/invocations/lock-invocation.ts';
import { lockInvocationWork } from '../../../db/invocations/lock-invocation-work.ts';
import { withdrawInvocation } from '../../../db/invocations/withdraw-invocation.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { Json } from '../../../domain/json.ts';
import { ActivityWorld } from './world.ts';

const world = await ActivityWorld.start();

const ATTEMPTS = [{ number: 1, kind: 'dispatch', status: 'started', claimed: false, observed_outcome: null }];

test.each([true, false])('governed %s: the answer of the evaluation, and the fence stands', async (governed) => {
  const ref = await world.admit({ definition: { governed } });
  const { evaluateAndReserve, evaluate, reserveAndMarkDispatch } = world.activities();
  const evaluation = await evaluateAndReserve(ref);
  const marked = await world.recorded(ref);
  expect(marked).toMatchObject({
    invocation: { status: 'dispatching' },
    effects: governed
      ? [{ id: evaluation.decision === 'proceed' ? evaluation.effectId : '', stage: 'dispatching' }]
      : [],
    attempts: ATTEMPTS,
  });
  // When repeated, each of the two returns what they did together.
  expect(await evaluate(ref)).toEqual(evaluation);
  expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
  expect(await world.recorded(ref)).toEqual(marked);
});

test('twenty times at once: one effect, one attempt, and the same answer', async () => {
  const ref = await world.admit();
  const { evaluateAndReserve } = world.activities();
  const answers = await Promise.all(Array.from({ length: 20 }, () => evaluateAndReserve(ref)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await world.recorded(ref)).toMatchObject({ effects: [{ stage: 'dispatching' }], attempts: ATTEMPTS });
});

test('the database dies before the commit: nothing is left; behind it: the next run finds all', async () => {
  const ref = await world.admit();
  const { evaluateAndReserve } = world.losing(['before_commit', 'after_commit']);
  await expect(evaluateAndReserve(ref)).rejects.toThrow(/terminat/);
  expect(await world.recorded(ref)).toMatchObject({ invocation: { status: 'queued' }, effects: [], attempts: [] });
  await expect(evaluateAndReserve(ref)).rejects.toThrow(/terminated/);
  const left = await world.recorded(ref);
  expect(left).toMatchObject({ effects: [{ stage: 'dispatching' }], attempts: ATTEMPTS });
  expect(await evaluateAndReserve(ref)).toMatchObject({ decision: 'proceed' });
  expect(await world.recorded(ref)).toEqual(left);
});

test('an invocation that the reservation refuses has an effect, and no fence', async () => {
  const ref = await world.admit();
  await world.transaction(async (tx) => {
    const action = await lockAction(tx, ref.actionId);
    if (action === null) throw new Error('the action was made');
    const definition = { ...action.definition, timeoutMs: action.definition.timeoutMs + 1 };
    const digest = digestOf(definition as unknown as Json);
    const version = { definition, digest, createdBy: { type: 'api_key', id: 'key_test' }, changeNote: null };
    await updateAction(tx, action, { name: action.name, description: null, version });
  });
  const { evaluateAndReserve } = world.activities();
  const answer = await evaluateAndReserve(ref);
  const refused = await world.recorded(ref);
  expect(refused).toMatchObject({
    invocation: { status: 'refused' },
    effects: [{ stage: 'rejected', rejection_reason: 'action_version_changed' }],
    attempts: [],
  });
  expect(answer).toEqual({ decision: 'refused', effectId: refused.effects[0]?.id, refusal: 'action_version_changed' });
  expect(await evaluateAndReserve(ref)).toEqual(answer);
});

test('an invocation that the evaluation refuses is not reserved, and a withdrawn one does nothing', async () => {
  const { evaluateAndReserve } = world.activities();
  const archived = await world.admit();
  await world.transaction((tx) => archiveAction(tx, archived.actionId));
  expect(await evaluateAndReserve(archived)).toEqual({
    decision: 'refused',
    effectId: null,
    refusal: 'action_disabled',
  });
  expect(await world.recorded(archived)).toMatchObject({ invocation: { status: 'refused' }, attempts: [] });
  const withdrawn = await world.admit();
  await world.transaction((tx) => withdrawInvocation(tx, withdrawn.invocationId));
  expect(await evaluateAndReserve(withdrawn)).toEqual({ decision: 'withdrawn' });
});

test('a run that waited behind one that made the effect sees that effect, with what its limits are checked by', async () => {
  const { effectId } = await world.ready();
  const ref = await world.admit({ dependsOn: [effectId] });
  const waiting = async (): Promise<number> => {
    const rows = await world.database.asOwner(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  const { evaluateAndReserve } = world.activities();
  const [first, second] = await world.transaction(async (tx) => {
    await lockInvocation(tx, ref.invocationId);
    const evaluated = evaluateAndReserve(ref);
    await expect.poll(waiting).toBe(1);
    const read = world.transaction((other) => lockInvocationWork(other, ref.invocationId));
    await expect.poll(waiting).toBe(2);
    return [{ evaluated }, { read }] as const;
  });
  expect(await first.evaluated).toMatchObject({ decision: 'depends' });
  const { effects } = await world.recorded(ref);
  expect(effects).toHaveLength(1);
  expect(await second.read).toMatchObject({
    effectId: effects[0]?.id,
    requestDigest: expect.stringMatching(/^sha256:/) as unknown,
    impact: expect.anything() as unknown,
  });
});
