import {
  type CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  defineSignal,
  proxyLocalActivities,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { GivenUp } from '../../domain/invocations/dependencies.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import { waitsForEffects } from '../../domain/workflow-details.ts';
import type { Activities } from '../../activities/index.ts';
import type { Advanced } from '../../activities/invocations/advance-invocation.ts';
import { ADVANCE_OPTIONS } from '../activity-options.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { DEPENDENCY_SETTLED_SIGNAL } from '../../temporal/invocations/invoke-action.ts';
import { untilDecided } from './until-decided.ts';

const { advanceInvocation } = proxyLocalActivities<Activities>(ADVANCE_OPTIONS);
const dependencySettled = defineSignal(DEPENDENCY_SETTLED_SIGNAL);

/** A settlement whose signal was lost is found by polling: after this time, which doubles each time. */
const LOOK_MS_MIN = 15_000;
const LOOK_MS_MAX = 600_000;
const WAIT_MS_MAX = 24 * 3_600_000;
/** The first look at a call that another execution made; the wait doubles until the deadline of the call. */
const CALL_LOOK_MS_MIN = 1_000;

/** An invocation that waits for nothing more: it ended, its dispatch is marked, or that was sent. */
export type LastAdvanced = Extract<Advanced, { next: 'withdrawn' | 'ended' | 'send' | 'sent' }>;

/**
 * Advances the invocation until nothing has to be waited for: a read of its provider, people, other effects, or the end of a call that
 * an earlier execution made. The record decides each time; `root` is the scope that a cancellation reaches.
 */
export async function untilAdvanced(
  root: CancellationScope,
  ref: InvocationRef,
  observe: (actionName: string) => Promise<void>,
): Promise<LastAdvanced> {
  const effects = new AwaitedEffects(root);
  let lookMs = CALL_LOOK_MS_MIN;
  for (let hasWaited = false; ;) {
    const givenUp = effects.givenUp();
    const judged = await (givenUp === null ? advanceInvocation(ref) : advanceInvocation(ref, givenUp));
    switch (judged.next) {
      case 'read_provider':
        await observe(judged.actionName);
        break;
      case 'ask_for_approval':
        hasWaited = true;
        await untilDecided(root, { ...ref, ...judged });
        break;
      case 'wait_for_effects':
        hasWaited = true;
        await effects.wait(judged.effectIds);
        break;
      case 'await_end':
        setCurrentDetails('DISPATCHED by an execution that did not report back: its call is given until its deadline');
        await sleep(Math.min(lookMs, judged.leftMs), { summary: 'the end of a call that another execution made' });
        lookMs *= 2;
        break;
      case 'send':
        if (hasWaited) upsertSearchAttributes(searchAttributes({ stage: 'dispatching' }));
        return judged;
      default:
        return judged;
    }
  }
}

/**
 * The wait for an invocation's dependencies. It ends when each of those effects has succeeded, one of them ends otherwise, a day is
 * over, or a cancellation reaches `root`. The signal only says when to look.
 */
class AwaitedEffects {
  readonly #root: CancellationScope;
  #told = false;
  #lookMs = LOOK_MS_MIN;
  #untilMs: number | null = null;

  constructor(root: CancellationScope) {
    this.#root = root;
    setHandler(dependencySettled, () => {
      this.#told = true;
    });
  }

  /** Why the wait is over although the record may not say so. */
  givenUp(): GivenUp | null {
    this.#told = false;
    if (this.#root.consideredCancelled) return 'cancelled';
    return this.#untilMs !== null && Date.now() >= this.#untilMs ? 'time_over' : null;
  }

  async wait(effectIds: readonly string[]): Promise<void> {
    if (this.#untilMs === null) upsertSearchAttributes(searchAttributes({ stage: 'awaiting_effects' }));
    this.#untilMs ??= Date.now() + WAIT_MS_MAX;
    setCurrentDetails(waitsForEffects(effectIds));
    const leftMs = Math.max(1, this.#untilMs - Date.now());
    const summary = 'the effects that it depends on, or the next look at them';
    const isOver = (): boolean => this.#told || this.#root.consideredCancelled;
    await condition(isOver, Math.min(this.#lookMs, leftMs), { summary });
    this.#lookMs = Math.min(LOOK_MS_MAX, this.#lookMs * 2);
  }
}
