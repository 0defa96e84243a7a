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
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { nextReadDelayMs, readsPassed } from '../../domain/reconciliation/schedule.ts';
import type { InvocationState } from '../../domain/refs.ts';
import { onQueue, READ_OPTIONS, SQL_OPTIONS } from '../activity-options.ts';
import { wakeDependents } from '../wake-dependents.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import {
  LOOK_SIGNAL,
  RECONCILE_NOW_UPDATE,
  type ReconcileEffectInput,
  type ReconcileEffectResult,
  type ReconcileNowResult,
} from '../../temporal/reconciliation/reconcile-effect.ts';

const { beginReconciliation, settleInvocation, planReconciliation, exhaustReconciliation } =
  proxyLocalActivities<Activities>(SQL_OPTIONS);

const reconcileNow = defineUpdate<ReconcileNowResult>(RECONCILE_NOW_UPDATE);
const look = defineSignal(LOOK_SIGNAL);

/**
 * Finds the outcome of an effect that is unknown (or that the provider still processes), by reading and never by sending
 * again. It waits on durable timers until a read, a late answer, a replay or a person settles the effect, or the schedule
 * ends. A restarted run continues the schedule from the record.
 */
export async function reconcileEffect(input: ReconcileEffectInput): Promise<ReconcileEffectResult> {
  const state = await new Reconciliation(input).run();
  upsertSearchAttributes(searchAttributes({ stage: state.stage ?? state.status, grade: state.grade }));
  await wakeDependents(state);
  return state;
}

class Reconciliation {
  private readonly input: ReconcileEffectInput;
  private state: InvocationState | null = null;
  /** Reads that were requested, and how many of those a read has answered that began after the request. */
  private asked = 0;
  private answered = 0;
  /** The record changed: a person resolved the effect, or a replay of it was answered. */
  private mustLook = false;

  constructor(input: ReconcileEffectInput) {
    this.input = input;
    setHandler(look, () => {
      this.mustLook = true;
    });
    setHandler(reconcileNow, async () => {
      const mine = ++this.asked;
      await condition(() => this.answered >= mine);
      if (this.state === null) throw ApplicationFailure.nonRetryable('a read was answered before the first look');
      return this.state;
    });
  }

  async run(): Promise<InvocationState> {
    const startedAtMs = Date.now();
    const begun = await beginReconciliation(this.input);
    this.state = begun.state;
    const wasPending = begun.state.grade === 'pending';
    /** The position in each of the two schedules. */
    const reads = {
      unknown: wasPending ? 0 : readsPassed(false, begun.unknownForMs),
      pending: wasPending ? readsPassed(true, begun.dispatchedForMs) : 0,
    };
    let exhausted = begun.exhausted;
    let scheduledReads = 0;
    for (;;) {
      while (this.state.stage === 'reconciling') {
        const pending: boolean = this.state.grade === 'pending';
        const schedule = pending ? 'pending' : 'unknown';
        if (this.asked === this.answered) {
          const elapsedMs = begun.unknownForMs + Date.now() - startedAtMs;
          const delayMs = exhausted
            ? null
            : nextReadDelayMs({ pending, reads: reads[schedule], elapsedMs }, Math.random());
          if (delayMs === null) {
            await exhaustReconciliation(this.input, scheduledReads);
            setCurrentDetails('exhausted: a person must resolve it');
            exhausted = true;
            break;
          }
          if (!(await this.wait(delayMs))) {
            reads[schedule]++;
            scheduledReads++;
          }
          if (this.mustLook) {
            this.mustLook = false;
            this.state = await settleInvocation(this.input);
            continue;
          }
        }
        const asked = this.asked;
        await this.read();
        // An effect that the provider processes now is waited for again, however long it was unknown.
        if (this.state.grade === 'pending' && !pending) exhausted = false;
        this.answered = asked;
      }
      this.answered = this.asked;
      await condition(allHandlersFinished);
      // Requests that arrived while the last ones were answered.
      if (this.asked === this.answered || this.state.stage !== 'reconciling') return this.state;
    }
  }

  /** Returns false where the time is over, and true where it was woken before. */
  private async wait(delayMs: number): Promise<boolean> {
    const nextAt = new Date(Date.now() + delayMs).toISOString();
    await planReconciliation(this.input, 0, nextAt);
    setCurrentDetails(`the next read at ${nextAt}`);
    if (workflowInfo().continueAsNewSuggested && !this.mustLook && this.asked === this.answered) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof reconcileEffect>(this.input);
    }
    // Never 0, which means no time-out.
    return condition(() => this.mustLook || this.asked > this.answered, Math.max(1, delayMs));
  }

  private async read(): Promise<void> {
    const { readBackEffect } = proxyActivities<Activities>({
      ...READ_OPTIONS,
      ...onQueue('provider-reads', this.input),
      summary: this.input.actionName,
    });
    try {
      await readBackEffect(this.input);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a read did not report back: it counts as one that said nothing', { reason: error.cause?.message });
    }
    this.state = await settleInvocation(this.input);
  }
}
