import { ApplicationFailure } from '@temporalio/common';
import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import {
  after,
  BEFORE_THE_FIRST_LOOK,
  isWoken,
  nextStep,
  type ReconciliationEvent,
  type ReconciliationStep,
} from '../../domain/reconciliation/state-machine.ts';
import type { InvocationState } from '../../domain/refs.ts';
import { standingOf } from '../../domain/workflow-details.ts';
import { onQueue, READ_OPTIONS, sqlActivities } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';
import { wakeDependents } from '../wake-dependents.ts';
import { LOOK_SIGNAL } from '../../temporal/look-signal.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import {
  RECONCILE_NOW_UPDATE,
  type ReconcileEffectInput,
  type ReconcileEffectResult,
  type ReconcileNowResult,
} from '../../temporal/reconciliation/reconcile-effect.ts';

const { beginReconciliation, settleInvocation, planReconciliation, exhaustReconciliation } = sqlActivities({
  beginReconciliation: 'looks at the record before the first read',
  settleInvocation: 'settles from the record',
  planReconciliation: 'records when the next read is due',
  exhaustReconciliation: 'records that a person must resolve it',
});

const EXHAUSTED = 'EXHAUSTED: the schedule of reads is at its end, and a person must resolve the effect';

const reconcileNow = defineUpdate<ReconcileNowResult>(RECONCILE_NOW_UPDATE);
const look = defineSignal(LOOK_SIGNAL);

/**
 * Finds the outcome of an effect that is unknown (or that the provider still processes), by reading and never by sending
 * again. It waits on durable timers until a read, a late answer, a replay or a person settles the effect, or the schedule
 * ends. A restarted run continues the schedule from the record.
 */
export async function reconcileEffect(input: ReconcileEffectInput): Promise<ReconcileEffectResult> {
  const state = await new ReconciliationRun(input).untilItsEnd();
  setCurrentDetails(state.stage === 'reconciling' ? EXHAUSTED : standingOf(state));
  await wakeDependents(state);
  return state;
}

/** Does what the state machine says, and tells it what happened. */
class ReconciliationRun {
  private readonly input: ReconcileEffectInput;
  private readonly places = new LaneQueue();
  private state = BEFORE_THE_FIRST_LOOK;

  constructor(input: ReconcileEffectInput) {
    this.input = input;
    setHandler(look, () => this.report({ type: 'record_changed' }));
    setHandler(reconcileNow, async () => {
      this.report({ type: 'read_asked' });
      const mine = this.state.asked;
      await condition(() => this.state.answered >= mine);
      const { invocation } = this.state;
      if (invocation === null) throw ApplicationFailure.nonRetryable('a read was answered before the first look');
      return invocation;
    });
  }

  async untilItsEnd(): Promise<InvocationState> {
    for (;;) {
      const step = this.nextStep();
      switch (step.next) {
        case 'begin':
          await this.begin();
          break;
        case 'wait':
          await this.wait(step.delayMs);
          break;
        case 'look':
          this.report({ type: 'looked', invocation: await settleInvocation(this.input) });
          break;
        case 'read': {
          const invocation = await this.read();
          if (invocation !== null) this.report({ type: 'read', invocation, answers: step.answers });
          break;
        }
        case 'give_up':
          await exhaustReconciliation(this.input, step.scheduledReads);
          this.report({ type: 'given_up' });
          break;
        case 'end':
          this.report({ type: 'ending' });
          await condition(allHandlersFinished);
          // A caller may have asked for a read while the last ones were answered.
          if (this.nextStep().next === 'end') return step.invocation;
      }
    }
  }

  private nextStep(): ReconciliationStep {
    return nextStep(this.state, Date.now(), Math.random);
  }

  private report(event: ReconciliationEvent): void {
    this.state = after(this.state, event);
    if ('invocation' in event) show(event.invocation);
  }

  private async begin(): Promise<void> {
    const atMs = Date.now();
    const { state, exhausted, unknownForMs, dispatchedForMs } = await beginReconciliation(this.input);
    this.report({ type: 'begun', invocation: state, isExhausted: exhausted, unknownForMs, dispatchedForMs, atMs });
  }

  private async wait(delayMs: number): Promise<void> {
    const nextAt = new Date(Date.now() + delayMs).toISOString();
    await planReconciliation(this.input, 0, nextAt);
    setCurrentDetails(`WAITS: the next read at ${nextAt}`);
    if (workflowInfo().continueAsNewSuggested && !isWoken(this.state)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof reconcileEffect>(this.input);
    }
    // Never 0, which stands for no time-out.
    const woken = await condition(() => isWoken(this.state), Math.max(1, delayMs), {
      summary: 'the next read of the provider, or news',
    });
    if (!woken) this.report({ type: 'wait_over' });
  }

  /** Null where the record changed before there was a place: a look comes first, and may make the read needless. */
  private async read(): Promise<InvocationState | null> {
    const { readBackEffect } = proxyActivities<Activities>({
      ...READ_OPTIONS,
      ...onQueue('provider-reads', this.input),
      summary: `reads the effect back: ${this.input.actionName}`,
    });
    try {
      const read = (place: { holder: string }) => readBackEffect({ ...this.input, ...place });
      if ((await this.places.read(this.input, read, { isOver: () => this.state.mustLook })) === null) return null;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a read did not report back: it counts as one that said nothing', { reason: error.cause?.message });
    }
    return settleInvocation(this.input);
  }
}

/** The record's stage and grade, for who searches meanwhile: a run may last a month. Only a change is written to the history. */
function show({ stage, status, grade }: InvocationState): void {
  const shown = workflowInfo().typedSearchAttributes;
  const recorded = searchAttributes({ stage: stage ?? status, grade });
  const changed = recorded.filter(({ key, value }) => shown.get(key) !== value);
  if (changed.length > 0) upsertSearchAttributes(changed);
}
