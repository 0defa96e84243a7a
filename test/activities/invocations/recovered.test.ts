import { describe, expect, test } from 'vitest';
import { createAdapters } from '../../../activities/adapters/index.ts';
import { Database } from '../../../db/client.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import { RecordGone } from '../../../domain/record-gone.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { startTarget } from '../../harness/target.ts';
import { agreeTo } from './agree-to.ts';
import { ActivityWorld, type Admission } from './world.ts';

/**
 * After a failover that may have lost commits: what was admitted on an earlier timeline may have been sent there, and is not sent. The
 * failover is planted: the invocation gets another timeline than the server has.
 */

const [world, target] = await Promise.all([ActivityWorld.start(), startTarget()]);
const adapterFor = createAdapters({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS) });
const activities = world.activities({ adapterFor });

const sendingTo = (path: string, definition: Admission['definition'] = {}): Admission => ({
  config: { url: `${target.baseUrl}${path}` },
  definition,
});
const failOver = ({ invocationId }: InvocationRef) =>
  world.database.asOwner('UPDATE invocations SET timeline = 0 WHERE id = $1', [invocationId]);
const refusalOf = async ({ invocationId }: InvocationRef): Promise<string | null> =>
  (
    await world.database.asOwner<{ code: string | null }>(
      'SELECT refusal_code AS code FROM invocations WHERE id = $1',
      [invocationId],
    )
  )[0]?.code ?? null;

const UNKNOWN = {
  invocation: { status: 'unknown', grade: 'unknown' },
  attempts: [{ kind: 'dispatch', status: 'abandoned', claimed: false, observed_outcome: 'unknown' }],
};

describe('an invocation from before a recovery', () => {
  test('that nobody has judged is unknown, with its effect to be read, and sends nothing', async () => {
    const ref = await world.admit(sendingTo('/queued'));
    await failOver(ref);
    const advanced = await activities.advanceInvocation(ref);
    expect(advanced).toMatchObject({ next: 'sent', dispatched: { seen: 'claimed_elsewhere' } });
    expect(await activities.settleInvocation(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect(await world.recorded(ref)).toMatchObject({
      ...UNKNOWN,
      effects: [{ stage: 'reconciling', outcome: 'unknown', partial_effect: 'possible' }],
    });
    expect(await refusalOf(ref)).toBe('database_recovered');
    expect(await target.requests('/queued')).toEqual([]);
  });

  test('that would be refused now is unknown all the same: a refusal says that nothing was sent', async () => {
    const ref = await world.admit(sendingTo('/archived'));
    await world.database.asOwner('UPDATE actions SET archived_at = now() WHERE id = $1', [ref.actionId]);
    await failOver(ref);
    await activities.advanceInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject({ ...UNKNOWN, effects: [{ stage: 'reconciling' }] });
  });

  test('that is plain is unknown', async () => {
    const ref = await world.admit(sendingTo('/plain', { governed: false }));
    await failOver(ref);
    await activities.advanceInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject({ ...UNKNOWN, effects: [] });
    expect(await refusalOf(ref)).toBe('database_recovered');
    expect(await target.requests('/plain')).toEqual([]);
  });

  test('that is marked and not claimed is claimed by nobody, and unknown', async () => {
    const ref = await world.ready(sendingTo('/marked'));
    await failOver(ref);
    expect(await activities.dispatchEffect({ ...ref, settles: true })).toEqual({ seen: 'claimed_elsewhere' });
    expect(await activities.settleInvocation(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect(await world.recorded(ref)).toMatchObject(UNKNOWN);
    expect(await refusalOf(ref)).toBe('database_recovered');
    expect(await target.requests('/marked')).toEqual([]);
  });

  test('whose mark is lost with its claim ends the workflow that was past both, and is unknown by the next', async () => {
    // The row is what it was before the mark, while Temporal goes on behind it.
    const ref = await world.admit(sendingTo('/lost'));
    await failOver(ref);
    expect(await activities.dispatchEffect({ ...ref, settles: true })).toEqual({ seen: 'claimed_elsewhere' });
    await expect(activities.settleInvocation(ref)).rejects.toMatchObject({ type: RecordGone.name });
    await activities.advanceInvocation(ref);
    expect(await activities.settleInvocation(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect(await refusalOf(ref)).toBe('database_recovered');
    expect(await target.requests('/lost')).toEqual([]);
  });

  test('that people had agreed to before is unknown, and its approval is spent', async () => {
    const ref = await world.admit(sendingTo('/agreed', { approval: { required: true, tag: null } }));
    await activities.judgeInvocation(ref);
    await agreeTo(world, ref.invocationId);
    await failOver(ref);
    await activities.advanceInvocation(ref);
    expect(await world.recorded(ref)).toMatchObject(UNKNOWN);
    const [approval] = await world.database.asOwner('SELECT status FROM approvals WHERE invocation_id = $1', [
      ref.invocationId,
    ]);
    expect(approval).toEqual({ status: 'consumed' });
    expect(await target.requests('/agreed')).toEqual([]);
  });

  test('that waits for people is sent once they have decided after it', async () => {
    const ref = await world.admit(sendingTo('/decided', { approval: { required: true, tag: null } }));
    await activities.judgeInvocation(ref);
    await failOver(ref);
    expect(await activities.advanceInvocation(ref)).toMatchObject({ next: 'ask_for_approval' });
    await agreeTo(world, ref.invocationId);
    expect(await activities.advanceInvocation(ref)).toMatchObject({ next: 'sent' });
    expect(await target.requests('/decided')).toHaveLength(1);
  });

  test('that was claimed here goes its way: the claim was not lost', async () => {
    const ref = await world.admit(sendingTo('/claimed'));
    expect(await activities.advanceInvocation(ref)).toMatchObject({ dispatched: { seen: 'settled' } });
    await failOver(ref);
    const before = await world.recorded(ref);
    await activities.settleInvocation(ref);
    expect(await world.recorded(ref)).toEqual(before);
    expect(await target.requests('/claimed')).toHaveLength(1);
  });

  test('is not decided on before a process has looked at the new timeline', async () => {
    const [queued, marked] = [await world.admit(sendingTo('/early')), await world.ready(sendingTo('/early'))];
    await Promise.all([queued, marked].map(failOver));
    await world.database.asOwner('UPDATE database_epochs SET timeline = timeline + 1');
    try {
      await expect(activities.advanceInvocation(queued)).rejects.toThrow(/new timeline/);
      await expect(activities.dispatchEffect(marked)).rejects.toThrow(/new timeline/);
      await expect(activities.settleInvocation(marked)).rejects.toThrow(/new timeline/);
    } finally {
      await world.database.asOwner('UPDATE database_epochs SET timeline = timeline - 1');
    }
    expect(await world.recorded(queued)).toMatchObject({ invocation: { status: 'queued' }, attempts: [] });
    expect(await target.requests('/early')).toEqual([]);
  });
});

describe('REQUIRE_SYNC_STANDBY', () => {
  const options = { url: world.database.applicationUrl, applicationName: 'standby-required', poolMax: 2 };
  const strict = new Database({ ...options, requireSyncStandby: true });
  closesWithFile(() => strict.close());
  const strictly = world.activities({ db: strict, adapterFor });

  test.each([
    ['with the judgement', (path: string) => world.admit(sendingTo(path)), strictly.advanceInvocation],
    [
      'in its own transaction',
      (path: string) => world.ready(sendingTo(path)),
      (ref: InvocationRef) => strictly.dispatchEffect({ ...ref, settles: true }),
    ],
  ])('sends nothing where a claim %s waits for no standby', async (way, admit, dispatch) => {
    const path = `/${way.replaceAll(' ', '-')}`;
    const ref = await admit(path);
    await dispatch(ref);
    expect(await target.requests(path)).toEqual([]);
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'failed' },
      attempts: [{ status: 'completed', claimed: true, observed_outcome: 'not_dispatched' }],
      evidence: [{ summary: expect.stringContaining('synchronous standby') as string }],
    });
  });
});
