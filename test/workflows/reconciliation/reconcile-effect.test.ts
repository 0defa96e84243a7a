import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { BegunReconciliation } from '../../../activities/reconciliation/plan-reconciliation.ts';
import type { Grade } from '../../../domain/lifecycle.ts';
import { PENDING_READS_MAX, UNKNOWN_READ_TIMES_MS } from '../../../domain/reconciliation/schedule.ts';
import type { InvocationState } from '../../../domain/refs.ts';
import { reconcileEffectStart } from '../../../temporal/reconciliation/reconcile-effect.ts';
import { SEARCH_ATTRIBUTES } from '../../../temporal/search-attributes.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, type Doubles, newEffect, runWorkflow, withTestWorker } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

const DAY_MS = 86_400_000;
const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId: 'eff_1' };
const pending: InvocationState = { ...held, status: 'dispatching', grade: 'pending' };
const confirmed: InvocationState = { ...held, status: 'succeeded', grade: 'confirmed', stage: 'settled' };
const resolved: InvocationState = { ...confirmed, grade: 'acknowledged' };

const fresh = { exhausted: false, unknownForMs: 0, dispatchedForMs: 0, settledForMs: 0 };
const begun = (state: InvocationState, progress: Partial<BegunReconciliation> = {}) => ({
  beginReconciliation: async () => ({ ...fresh, state, ...progress }),
});

/** The times of the reads, in milliseconds of skipped time since `watch` began. */
async function readsOf(
  overrides: Partial<Activities>,
): Promise<{ reads: number[]; exhausted: number; result: InvocationState } & Doubles> {
  const reads: number[] = [];
  let exhausted = 0;
  const startedAtMs = await environment.currentTimeMs();
  const made = doubles({
    planReconciliation: async () => {},
    exhaustReconciliation: async () => void exhausted++,
    ...overrides,
    readBackEffect: async (...args) => {
      reads.push((await environment.currentTimeMs()) - startedAtMs);
      return overrides.readBackEffect ? overrides.readBackEffect(...args) : { impliedOutcome: 'unknown' };
    },
  });
  const result = await runWorkflow<InvocationState>(environment, 'reconcileEffect', [newEffect()], made.activities);
  return { ...made, reads, exhausted, result };
}

describe('reconcileEffect', () => {
  test('walks the whole schedule by reading, and ends exhausted after a day', async () => {
    const { reads, exhausted, calls, result } = await readsOf({ ...begun(held), settleInvocation: async () => held });
    expect(result).toEqual(held);
    expect(exhausted).toBe(1);
    expect(calls).not.toContain('dispatchEffect');
    expect(reads).toHaveLength(UNKNOWN_READ_TIMES_MS.length);
    for (const [index, at] of UNKNOWN_READ_TIMES_MS.entries()) {
      expect(reads[index]).toBeGreaterThan(at * 0.79);
      expect(reads[index]).toBeLessThan(at * 1.21 + 10_000);
    }
  });

  test('ends at once where the answer was recorded late', async () => {
    const { calls, result } = await readsOf(begun(confirmed));
    expect(result).toEqual(confirmed);
    expect(calls).toEqual(['beginReconciliation']);
  });

  test('stops at the read that settles it, over reads that fail', async () => {
    let reads = 0;
    const { result } = await readsOf({
      ...begun(held),
      settleInvocation: async () => (reads >= 3 ? confirmed : held),
      readBackEffect: async () => {
        reads++;
        if (reads < 3) throw ApplicationFailure.nonRetryable('the provider is away');
        return { impliedOutcome: 'succeeded' };
      },
    });
    expect(result).toEqual(confirmed);
    expect(reads).toBe(3);
  });

  test('a read that waits for a place keeps its place in the schedule; a person who resolves the effect ends the wait', async () => {
    let isResolved = false;
    const { result, calls } = await readsOf({
      ...begun(held),
      settleInvocation: async () => (isResolved ? resolved : held),
      readBackEffect: async () => {
        isResolved = true;
        const { client, info } = Context.current();
        await client.workflow.getHandle(info.workflowExecution?.workflowId ?? '').signal('look');
        return { seen: 'no_place', lookAgainMs: 300_000 };
      },
      leaveQueue: async () => {},
    });
    expect(result).toEqual(resolved);
    expect(calls).toEqual([
      'beginReconciliation',
      'planReconciliation',
      'readBackEffect',
      'leaveQueue',
      'settleInvocation',
    ]);
  });

  test('reads what the provider is still at once a day, for thirty days', async () => {
    const { reads, exhausted } = await readsOf({
      ...begun(pending),
      settleInvocation: async () => pending,
      readBackEffect: async () => ({ impliedOutcome: 'pending' }),
    });
    expect(reads).toHaveLength(PENDING_READS_MAX);
    expect(exhausted).toBe(1);
    const days = (reads.at(-1) ?? 0) / DAY_MS;
    expect(days).toBeGreaterThan(24);
    expect(days).toBeLessThan(36);
  });

  test('gives what became pending after some reads its own thirty days', async () => {
    let reads = 0;
    const made = await readsOf({
      ...begun(held),
      settleInvocation: async () => (reads < 4 ? held : pending),
      readBackEffect: async () => ({ impliedOutcome: ++reads < 4 ? 'unknown' : 'pending' }),
    });
    expect(made.reads).toHaveLength(4 + PENDING_READS_MAX);
  });

  test('says when it reads next before it waits', async () => {
    const planned: string[] = [];
    let settles = 0;
    const before = await environment.currentTimeMs();
    await readsOf({
      ...begun(held),
      settleInvocation: async () => (settles++ < 1 ? held : confirmed),
      planReconciliation: async (_input, _reads, nextAt) => void planned.push(nextAt),
    });
    expect(planned).toHaveLength(2);
    expect(Date.parse(planned[0] ?? '') - before).toBeGreaterThan(3_000);
    expect(Date.parse(planned[1] ?? '') - before).toBeGreaterThan(20_000);
  });

  test('begun again after a termination, goes on with the schedule where it stood', async () => {
    const threeHoursMs = 3 * 3_600_000;
    const { reads } = await readsOf({
      ...begun(held, { unknownForMs: threeHoursMs, dispatchedForMs: threeHoursMs }),
      settleInvocation: async () => held,
    });
    // The rest of the schedule: 4 h, 8 h, 16 h and 24 h after the unknown.
    expect(reads).toHaveLength(4);
    expect(reads[0]).toBeLessThan(2 * 3_600_000);
  });

  test('begun again after the last time of its schedule, reads once before it gives up', async () => {
    const { reads, exhausted } = await readsOf({
      ...begun(held, { unknownForMs: 9 * DAY_MS, dispatchedForMs: 9 * DAY_MS }),
      settleInvocation: async () => held,
    });
    expect(reads).toHaveLength(1);
    expect(exhausted).toBe(1);
  });

  test('a look finds what a person resolved, without a read, and ends', async () => {
    const ref = newEffect();
    let isResolved = false;
    const workflowId = `reconcile/${ref.effectId}`;
    const { activities, calls } = doubles({
      ...begun(held),
      planReconciliation: async () => {
        if (isResolved) return;
        isResolved = true;
        await environment.client.workflow.getHandle(workflowId).signal('look');
      },
      settleInvocation: async () => resolved,
    });
    expect(await runWorkflow(environment, 'reconcileEffect', [ref], activities, workflowId)).toEqual(resolved);
    expect(calls).not.toContain('readBackEffect');
  });

  test('a read that was asked for is made at once and takes nothing from the schedule', async () => {
    const ref = newEffect();
    const workflowId = `reconcile/${ref.effectId}`;
    const answers: Promise<unknown>[] = [];
    let reads = 0;
    const { activities } = doubles({
      ...begun(held),
      planReconciliation: async () => {
        if (answers.length > 0) return;
        answers.push(environment.client.workflow.getHandle(workflowId).executeUpdate('reconcileNow'));
      },
      readBackEffect: async () => {
        reads++;
        return { impliedOutcome: 'unknown' };
      },
      settleInvocation: async () => held,
      exhaustReconciliation: async () => {},
    });
    await runWorkflow(environment, 'reconcileEffect', [ref], activities, workflowId);
    expect(await Promise.all(answers)).toEqual([held]);
    expect(reads).toBe(1 + UNKNOWN_READ_TIMES_MS.length);
  });
});

describe('an effect that is reconciled is found by the grade of its record:', () => {
  const ENDED = 'settled confirmed';

  /** What it is found by at each read and at its end, and how often its history says so. */
  async function shownBy(
    known: Grade,
    [first, ...later]: readonly [InvocationState, ...InvocationState[]],
  ): Promise<{ shown: string[]; upserts: number }> {
    const taskQueue = randomUUID();
    const start = reconcileEffectStart({ ...newEffect(), grade: known }, taskQueue, 'Production');
    const handle = environment.client.workflow.getHandle(start.options.workflowId);
    const shown: string[] = [];
    const note = async (): Promise<void> => {
      const { typedSearchAttributes: attributes } = await handle.describe();
      const { stage, grade } = SEARCH_ATTRIBUTES;
      shown.push(`${attributes.get(stage)} ${attributes.get(grade)}`);
    };
    const settled = [...later];
    const { activities } = doubles({
      ...begun(first),
      planReconciliation: async () => {},
      readBackEffect: async () => {
        await note();
        return { impliedOutcome: 'unknown' };
      },
      settleInvocation: async () => settled.shift() ?? confirmed,
    });
    await withTestWorker(environment, { taskQueue, activities }, () =>
      environment.client.workflow.execute(start.type, { ...start.options, args: [...start.options.args] }),
    );
    await note();
    const { events } = await handle.fetchHistory();
    return {
      shown,
      upserts: events?.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes).length ?? 0,
    };
  }

  test.each([
    ['unknown, then pending', 'unknown', [held, pending], ['reconciling unknown', 'reconciling pending'], 2],
    ['pending, then unknown', 'pending', [pending, held], ['reconciling pending', 'reconciling unknown'], 2],
    ['another since its start', 'unknown', [pending], ['reconciling pending'], 2],
    ['the same at each read', 'unknown', [held, held, held], Array<string>(3).fill('reconciling unknown'), 1],
  ] as const)('%s', async (_what, known, states, grades, upserts) => {
    expect(await shownBy(known, states)).toEqual({ shown: [...grades, ENDED], upserts });
  });
});
