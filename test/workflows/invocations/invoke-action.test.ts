import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { InvocationState } from '../../../domain/refs.ts';
import { SEARCH_ATTRIBUTES } from '../../../temporal/search-attributes.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

const ref = () => ({ invocationId: `inv_${randomUUID()}`, workspaceId: randomUUID(), environmentId: randomUUID() });
const proceed = {
  next: 'send',
  effectId: 'eff_1',
  actionName: 'refund.create',
  timeoutMs: 30_000,
  heartbeatTimeoutMs: 10_000,
  readsBack: false,
} as const;
const succeeded: InvocationState = {
  status: 'succeeded',
  grade: 'acknowledged',
  stage: 'settled',
  effectId: 'eff_1',
};
const refused: InvocationState = {
  status: 'refused',
  grade: 'refused',
  stage: 'rejected',
  effectId: 'eff_1',
  refusal: 'policy_denied',
};
const unknown: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId: 'eff_1' };
const pending: InvocationState = { ...unknown, status: 'dispatching', grade: 'pending' };

function life(overrides: Partial<Activities>) {
  return doubles({
    advanceInvocation: async () => proceed,
    dispatchEffect: async ({ settles }) =>
      settles ? { seen: 'settled', state: succeeded } : { seen: 'recorded', outcome: 'succeeded' },
    settleInvocation: async () => succeeded,
    ...overrides,
  });
}

const invoke = (activities: Activities) =>
  runWorkflow<InvocationState | null>(environment, 'invokeAction', [ref()], activities);

describe('invokeAction', () => {
  test('evaluates and marks, then dispatches once, which settles', async () => {
    const { activities, calls } = life({});
    expect(await invoke(activities)).toEqual(succeeded);
    expect(calls).toEqual(['advanceInvocation', 'dispatchEffect']);
  });

  test('ends where one step has sent and settled it', async () => {
    const { activities, calls } = life({
      advanceInvocation: async () => ({ ...proceed, next: 'sent', dispatched: { seen: 'settled', state: succeeded } }),
    });
    expect(await invoke(activities)).toEqual(succeeded);
    expect(calls).toEqual(['advanceInvocation']);
  });

  test('waits for the end of a call that a lost execution made, and settles from the record', async () => {
    const startedAtMs = await environment.currentTimeMs();
    let leftMs = 20_000;
    const { activities, calls } = life({
      advanceInvocation: async () => {
        leftMs -= 5_000;
        if (leftMs > 0) return { ...proceed, next: 'await_end', leftMs };
        return { ...proceed, next: 'sent', dispatched: { seen: 'claimed_elsewhere' } };
      },
      settleInvocation: async () => ({ ...unknown, effectId: null, stage: null }),
    });
    expect((await invoke(activities))?.status).toBe('unknown');
    expect(calls.filter((call) => call === 'dispatchEffect')).toEqual([]);
    expect((await environment.currentTimeMs()) - startedAtMs).toBeGreaterThan(6_000);
  });

  test.each([
    ['was recorded without being settled', { seen: 'recorded', outcome: 'succeeded' }],
    ['was claimed elsewhere', { seen: 'claimed_elsewhere' }],
    ['came too late', { seen: 'too_late' }],
  ] as const)('settles from the record a dispatch that %s', async (_, dispatched) => {
    const { activities, calls } = life({ dispatchEffect: async () => dispatched });
    expect(await invoke(activities)).toEqual(succeeded);
    expect(calls).toEqual(['advanceInvocation', 'dispatchEffect', 'settleInvocation']);
  });

  test('does nothing for an admission that was withdrawn', async () => {
    const { activities, calls } = life({ advanceInvocation: async () => ({ next: 'withdrawn' }) });
    expect(await invoke(activities)).toBeNull();
    expect(calls).toEqual(['advanceInvocation']);
  });

  test('never dispatches what was refused', async () => {
    const { activities, calls } = life({
      advanceInvocation: async () => ({ next: 'ended', state: refused }),
    });
    expect(await invoke(activities)).toEqual(refused);
    expect(calls).not.toContain('dispatchEffect');
  });

  test('settles from the record when the dispatch fails, and never runs it a second time', async () => {
    const { activities, calls } = life({
      dispatchEffect: async () => {
        throw ApplicationFailure.retryable('the database was away'); // retryable: only the workflow's own policy prevents a retry
      },
      isUnclaimed: async () => false,
      settleInvocation: async () => ({ ...unknown, effectId: null, stage: null }),
      advanceInvocation: async () => ({ ...proceed, effectId: null }),
    });
    expect((await invoke(activities))?.status).toBe('unknown');
    expect(calls.filter((call) => call === 'dispatchEffect')).toHaveLength(1);
  });

  test('gives a dispatch out again that was lost before anybody claimed it', async () => {
    let given = 0;
    const { activities, calls } = life({
      dispatchEffect: async () => {
        if (++given < 3) throw ApplicationFailure.retryable('the task was lost on its way');
        return { seen: 'settled', state: succeeded };
      },
      isUnclaimed: async () => true,
    });
    expect(await invoke(activities)).toEqual(succeeded);
    const lost = ['dispatchEffect', 'isUnclaimed'];
    expect(calls).toEqual(['advanceInvocation', ...lost, ...lost, 'dispatchEffect']);
  });

  test('gives up a dispatch that is lost again and again after an hour: nothing was sent', async () => {
    const startedAtMs = await environment.currentTimeMs();
    const { activities, calls } = life({
      dispatchEffect: async () => {
        throw ApplicationFailure.retryable('the task was lost on its way');
      },
      isUnclaimed: async () => true,
      settleInvocation: async () => ({ ...succeeded, status: 'failed', grade: 'failed' }),
    });
    expect((await invoke(activities))?.status).toBe('failed');
    expect(calls.at(-1)).toBe('settleInvocation');
    expect((await environment.currentTimeMs()) - startedAtMs).toBeGreaterThan(3_500_000);
  });

  test('reads back an accepted effect before it settles, until the provider says something', async () => {
    const says = ['unknown', 'succeeded', 'failed'] as const;
    let reads = 0;
    const { activities, calls } = life({
      advanceInvocation: async () => ({ ...proceed, readsBack: true }),
      readBackEffect: async () => ({ impliedOutcome: says[reads++] ?? 'failed' }),
      settleInvocation: async () => ({ ...succeeded, grade: 'confirmed' }),
    });
    expect((await invoke(activities))?.grade).toBe('confirmed');
    expect(calls.slice(-3)).toEqual(['readBackEffect', 'readBackEffect', 'settleInvocation']);
  });

  test('a provider that cannot be read leaves the effect acknowledged, and its caller waits no longer than that', async () => {
    const { activities, calls } = life({
      advanceInvocation: async () => ({ ...proceed, readsBack: true }),
      readBackEffect: async () => {
        throw ApplicationFailure.retryable('unreachable');
      },
    });
    expect((await invoke(activities))?.grade).toBe('acknowledged');
    expect(calls.filter((call) => call === 'readBackEffect')).toHaveLength(3);
  });

  test.each(['failed', 'unknown', 'not_dispatched'] as const)(
    'does not read back what the dispatch saw as %s',
    async (outcome) => {
      const { activities, calls } = life({
        advanceInvocation: async () => ({ ...proceed, readsBack: true }),
        dispatchEffect: async () => ({ seen: 'recorded', outcome }),
        settleInvocation: async () => ({ ...succeeded, status: 'failed', grade: 'failed' }),
      });
      await invoke(activities);
      expect(calls).not.toContain('readBackEffect');
    },
  );

  test.each([unknown, pending])('hands a $grade outcome to reconciliation, which outlives it', async (outcome) => {
    const effectId = `eff_${randomUUID()}`;
    const state = { ...outcome, effectId };
    const { activities } = life({
      advanceInvocation: async () => ({ ...proceed, effectId }),
      dispatchEffect: async () => ({ seen: 'settled', state }),
      // Until the first look it is found by what its start says.
      beginReconciliation: () => Promise.reject(new Error('PostgreSQL is away')),
    });
    expect((await invoke(activities))?.stage).toBe('reconciling');
    const description = await environment.client.workflow.getHandle(`reconcile/${effectId}`).describe();
    expect(description.status.name).toBe('RUNNING');
    expect(description.type).toBe('reconcileEffect');
    expect(description.typedSearchAttributes.get(SEARCH_ATTRIBUTES.grade)).toBe(outcome.grade);
  });
});
