import { describe, expect, test } from 'vitest';
import type { Adapter } from '../../../activities/adapters/adapter.ts';
import type { AdapterCapabilities } from '../../../domain/actions.ts';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import { workflowStarts } from '../../../activities/maintenance/workflow-starts.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import type { EffectRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';

const world = await ActivityWorld.start();

const LOST = () => Promise.resolve({ kind: 'no_answer', reason: 'reset' } as const);
type Reads = 'succeeded' | 'failed' | 'pending';

/** A provider whose record shows the listed states, one for each read, then the last one for ever. */
function provider(capabilities: Partial<AdapterCapabilities>, dispatch: Adapter['dispatch'], ...record: Reads[]) {
  let reads = 0;
  const adapter: Adapter = {
    descriptor: {
      ...httpRequestDescriptor,
      capabilitiesFor: (definition) => ({ ...httpRequestDescriptor.capabilitiesFor(definition), ...capabilities }),
    },
    dispatch,
    readBack: () => {
      const outcome = record[Math.min(reads++, record.length - 1)] ?? 'succeeded';
      const { response } = ACCEPTED;
      return Promise.resolve({
        kind: 'matched',
        outcome,
        summary: `it is ${outcome}`,
        response,
        providerReference: null,
      });
    },
  };
  return world.activities({ adapterFor: () => adapter });
}

/** An effect that succeeded by its provider's answer. */
async function standing(activities: ReturnType<typeof provider>): Promise<EffectRef> {
  const ref = await world.admit();
  const evaluation = await activities.judgeInvocation(ref);
  if (evaluation.next !== 'send') throw new Error(evaluation.next);
  await activities.dispatchEffect({ ...ref, settles: true });
  return { ...ref, effectId: evaluation.effectId ?? '' };
}

async function nextReadOf({ effectId }: EffectRef) {
  const [row] = await world.database.asOwner<{ at: Date | null; in_hours: number | null }>(
    `SELECT reconcile_next_at AS at, extract(epoch FROM reconcile_next_at - now())::float8 / 3600 AS in_hours FROM effects WHERE id = $1`,
    [effectId],
  );
  return row ?? { at: null, in_hours: null };
}

async function sweep(): Promise<[string, string][]> {
  const started: [string, string][] = [];
  const deps = world.dependencies({
    startReads: (ref, kind) => {
      started.push([ref.effectId, kind]);
      return Promise.resolve();
    },
  });
  await sweepRows(deps, 'workflow-starts', workflowStarts);
  return started.sort(([one], [other]) => one.localeCompare(other));
}
const setNextRead = (ref: EffectRef, ago: string) =>
  world.database.asOwner(
    `UPDATE effects SET reconcile_next_at = now() - $2::interval, updated_at = now() - $2::interval WHERE id = $1`,
    [ref.effectId, ago],
  );

describe('what a provider may still reverse', () => {
  test('is planned to be read a day after it succeeded, and found by the sweep when that is due', async () => {
    const ref = await standing(provider({ reversible: true }, () => Promise.resolve(ACCEPTED), 'succeeded'));
    expect((await nextReadOf(ref)).in_hours).toBeCloseTo(24, 0);
    expect(await sweep()).toEqual([]);
    await setNextRead(ref, '3 minutes');
    expect(await sweep()).toEqual([[ref.effectId, 'reversal']]);
    await world.activities().planReversalRead(ref, null);
    expect(await sweep()).toEqual([]);
  });

  test('is confirmed by a read that matches later, and nothing else of it moves', async () => {
    const activities = provider({ reversible: true }, () => Promise.resolve(ACCEPTED), 'succeeded');
    const ref = await standing(activities);
    const before = await world.recorded(ref);
    expect(before).toMatchObject({ invocation: { grade: 'acknowledged' }, effects: [{ verification: 'unverified' }] });
    const planned = (await nextReadOf(ref)).at;
    for (let reads = 1; reads <= 2; reads++) await activities.readBackEffect(ref);
    const confirmed = { outcome_source: 'provider_lookup', grade: 'confirmed' };
    const { invocation, effects } = await world.recorded(ref);
    expect(invocation).toMatchObject({ status: 'succeeded', ...confirmed, settled_at: before.invocation?.settled_at });
    expect(effects).toEqual([
      { ...before.effects[0], ...confirmed, verification: 'provider', updated_at: expect.any(String) as string },
    ]);
    expect((await nextReadOf(ref)).at).toEqual(planned);
  });

  test('fails after all by its own record: said in the evidence, once, and watched no longer', async () => {
    const activities = provider({ reversible: true }, () => Promise.resolve(ACCEPTED), 'succeeded', 'failed');
    const ref = await standing(activities);
    await activities.readBackEffect(ref);
    expect(await activities.settleReversal(ref)).toMatchObject({ status: 'succeeded' });
    await activities.readBackEffect(ref);
    expect(await activities.settleReversal(ref)).toMatchObject({ status: 'failed', grade: 'failed', stage: 'settled' });
    const reversed = await world.recorded(ref);
    expect(reversed).toMatchObject({
      invocation: { status: 'failed', error: 'reversed by the provider after it had succeeded: it is failed' },
      effects: [{ stage: 'settled', outcome: 'failed', grade: 'failed' }],
    });
    expect(reversed.evidence.at(-1)).toMatchObject({
      source: 'system',
      implied_outcome: 'failed',
      details: { event: 'effect.reversed' },
    });
    expect(await activities.settleReversal(ref)).toMatchObject({ status: 'failed' });
    expect(await world.recorded(ref)).toEqual(reversed);
    expect((await nextReadOf(ref)).at).toBeNull();
  });

  test('and what nobody may reverse is neither watched nor moved', async () => {
    const activities = provider({}, () => Promise.resolve(ACCEPTED), 'failed');
    const ref = await standing(activities);
    expect((await nextReadOf(ref)).at).toBeNull();
    await activities.readBackEffect(ref);
    expect(await activities.settleReversal(ref)).toMatchObject({ status: 'succeeded' });
  });
});

describe('the sweep over overdue reads', () => {
  async function lost(): Promise<EffectRef> {
    const ref = await world.ready();
    const { adapterFor } = adapterThat(LOST);
    await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
    return ref;
  }

  test('finds a reconciliation that never began, or that was terminated, and leaves one that is on time', async () => {
    const [never, terminated, onTime] = [await lost(), await lost(), await lost()];
    const { planReconciliation } = world.activities();
    expect(await sweep()).toEqual([]);
    await world.database.asOwner(`UPDATE effects SET updated_at = now() - interval '3 minutes' WHERE id = $1`, [
      never.effectId,
    ]);
    await planReconciliation(onTime, 0, new Date(Date.now() + 60_000).toISOString());
    await setNextRead(terminated, '3 minutes');
    expect(new Map(await sweep())).toEqual(
      new Map([never, terminated].map(({ effectId }) => [effectId, 'reconciliation'])),
    );
    for (const ref of [never, terminated, onTime]) await world.activities().exhaustReconciliation(ref, 11);
    await setNextRead(terminated, '3 minutes');
    expect(await sweep()).toEqual([]);
  });
});

describe('the end of a schedule', () => {
  test('is said in the evidence once, holds what is exposed, and a plan takes it back', async () => {
    const ref = await world.ready();
    const { adapterFor } = adapterThat(LOST);
    await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
    const { exhaustReconciliation, planReconciliation } = world.activities();
    await exhaustReconciliation(ref, 11);
    await exhaustReconciliation(ref, 11);
    const exhausted = await world.recorded(ref);
    expect(exhausted.effects).toMatchObject([{ outcome: 'unknown', reconcile_exhausted: true }]);
    expect(exhausted.evidence.filter(({ details }) => details['event'] === 'effect.exhausted')).toMatchObject([
      { source: 'system', implied_outcome: null, details: { reads: 11 } },
    ]);
    await planReconciliation(ref, 0, new Date(Date.now() + 60_000).toISOString());
    expect((await world.recorded(ref)).effects).toMatchObject([{ reconcile_exhausted: false }]);
  });

  test('is taken back where the provider turns out to be at it: the sweep has it read on', async () => {
    const activities = provider({}, LOST, 'pending');
    const ref = await standing(activities);
    await activities.exhaustReconciliation(ref, 11);
    await activities.readBackEffect(ref);
    expect(await activities.settleInvocation(ref)).toMatchObject({ status: 'dispatching', grade: 'pending' });
    expect((await world.recorded(ref)).effects).toMatchObject([{ outcome: 'pending', reconcile_exhausted: false }]);
    await world.database.asOwner(`UPDATE effects SET updated_at = now() - interval '3 minutes' WHERE id = $1`, [
      ref.effectId,
    ]);
    expect(await sweep()).toContainEqual([ref.effectId, 'reconciliation']);
    await activities.exhaustReconciliation(ref, 30);
    expect(await activities.settleInvocation(ref)).toMatchObject({ grade: 'pending' });
    expect((await world.recorded(ref)).effects).toMatchObject([{ outcome: 'pending', reconcile_exhausted: true }]);
  });
});
