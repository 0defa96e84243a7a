import { describe, expect, test } from 'vitest';
import { archiveAction } from '../../../db/actions/archive-action.ts';
import { lockAction } from '../../../db/actions/lock-action.ts';
import { updateAction } from '../../../db/actions/update-action.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { Json } from '../../../domain/json.ts';
import { ActivityWorld, type Admission } from './world.ts';

const world = await ActivityWorld.start();

async function evaluated(admission: Admission = {}) {
  const ref = await world.admit(admission);
  await world.activities().evaluate(ref);
  return ref;
}

const MARKED = {
  invocation: { status: 'dispatching', grade: 'pending' },
  effects: [{ stage: 'dispatching', outcome: 'pending' }],
  attempts: [{ number: 1, kind: 'dispatch', status: 'started', claimed: false, observed_outcome: null }],
};

describe('marked more than once', () => {
  test('twice: one attempt', async () => {
    const ref = await evaluated();
    const { reserveAndMarkDispatch } = world.activities();
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
    const marked = await world.recorded(ref);
    expect(marked).toMatchObject(MARKED);
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
    expect(await world.recorded(ref)).toEqual(marked);
  });

  test('twenty times at once: one attempt', async () => {
    const ref = await evaluated();
    const { reserveAndMarkDispatch } = world.activities();
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserveAndMarkDispatch(ref)));
    for (const answer of answers) expect(answer).toEqual({ decision: 'dispatch' });
    expect(await world.recorded(ref)).toMatchObject(MARKED);
  });

  test('after the dispatch was settled: nothing changes', async () => {
    const ref = await world.ready();
    const { dispatchEffect, settleInvocation, reserveAndMarkDispatch } = world.activities();
    await dispatchEffect(ref);
    await settleInvocation(ref);
    const settled = await world.recorded(ref);
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
    expect(await world.recorded(ref)).toEqual(settled);
  });
});

describe('the worker or its database dies', () => {
  test('before the commit: there is no fence, nothing can be claimed, and the next run marks', async () => {
    const ref = await evaluated();
    const { reserveAndMarkDispatch, dispatchEffect } = world.losing(['before_commit']);
    await expect(reserveAndMarkDispatch(ref)).rejects.toThrow(/terminat/);
    expect(await world.recorded(ref)).toMatchObject({ effects: [{ stage: 'ready' }], attempts: [] });
    expect(await dispatchEffect(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
    expect(await world.recorded(ref)).toMatchObject(MARKED);
  });

  test('after the commit: the next run finds the fence', async () => {
    const ref = await evaluated();
    const { reserveAndMarkDispatch } = world.losing(['after_commit']);
    await expect(reserveAndMarkDispatch(ref)).rejects.toThrow(/terminated/);
    const left = await world.recorded(ref);
    expect(left).toMatchObject(MARKED);
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
    expect(await world.recorded(ref)).toEqual(left);
  });
});

describe('what changed between the evaluation and the dispatch', () => {
  const REFUSED = { invocation: { status: 'refused', grade: 'refused' }, attempts: [] };

  async function makeVersion2(actionId: string): Promise<void> {
    await world.transaction(async (tx) => {
      const action = await lockAction(tx, actionId);
      if (action === null) throw new Error('the action was made');
      const definition = { ...action.definition, timeoutMs: action.definition.timeoutMs + 1 };
      const digest = digestOf(definition as unknown as Json);
      const version = { definition, digest, createdBy: { type: 'api_key', id: 'key_test' }, changeNote: null };
      await updateAction(tx, action, { name: action.name, description: null, version });
    });
  }

  test.each([
    ['governed', true],
    ['plain', false],
  ])('the action was archived: a %s one is refused, and stays so', async (_, governed) => {
    const ref = await evaluated({ definition: { governed } });
    await world.transaction((tx) => archiveAction(tx, ref.actionId));
    const { reserveAndMarkDispatch } = world.activities();
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'refused', refusal: 'action_disabled' });
    const refused = await world.recorded(ref);
    expect(refused).toMatchObject({
      ...REFUSED,
      effects: governed ? [{ stage: 'rejected', outcome: 'not_dispatched', rejection_reason: 'action_disabled' }] : [],
    });
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'refused', refusal: 'action_disabled' });
    expect(await world.recorded(ref)).toEqual(refused);
  });

  test('the action has a newer version: a governed one is refused', async () => {
    const ref = await evaluated();
    await makeVersion2(ref.actionId);
    expect(await world.activities().reserveAndMarkDispatch(ref)).toEqual({
      decision: 'refused',
      refusal: 'action_version_changed',
    });
    expect(await world.recorded(ref)).toMatchObject({
      ...REFUSED,
      effects: [{ stage: 'rejected', rejection_reason: 'action_version_changed' }],
    });
  });

  test('the action has a newer version: a plain one runs under the version that it was admitted with', async () => {
    const ref = await evaluated({ definition: { governed: false } });
    await makeVersion2(ref.actionId);
    expect(await world.activities().reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
  });

  test('after the fence stands, the archive comes too late: what was marked is dispatched', async () => {
    const ref = await evaluated();
    const { reserveAndMarkDispatch } = world.activities();
    await reserveAndMarkDispatch(ref);
    await world.transaction((tx) => archiveAction(tx, ref.actionId));
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
    expect(await world.recorded(ref)).toMatchObject(MARKED);
  });
});
