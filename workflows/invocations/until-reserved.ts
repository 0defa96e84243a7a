import {
  type CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  defineSignal,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Reservation } from '../../activities/invocations/reserve-and-mark-dispatch.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import { waitsForEffects } from '../../domain/workflow-details.ts';
import { sqlActivities } from '../activity-options.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { DEPENDENCY_SETTLED_SIGNAL } from '../../temporal/invocations/invoke-action.ts';

const { reserveAndMarkDispatch } = sqlActivities({
  reserveAndMarkDispatch: 'takes the last look, reserves, and marks the dispatch',
});
const dependencySettled = defineSignal(DEPENDENCY_SETTLED_SIGNAL);

/** A settlement whose signal was lost is found by polling: after this time, which doubles each time. */
const LOOK_MS_MIN = 15_000;
const LOOK_MS_MAX = 600_000;
const WAIT_MS_MAX = 24 * 3_600_000;

export type Reserved = Exclude<Reservation, { decision: 'depends' | 'observe' }>;

/**
 * Reserves and marks the dispatch, after waiting for the invocation's dependencies. The wait ends when each of those effects
 * has succeeded, one of them ends otherwise, a day is over, or a cancellation reaches `root`. The record decides; the signal
 * only says when to look. `observe` reads the provider's record again, where it was read before such a wait.
 */
export async function untilReserved(
  root: CancellationScope,
  ref: InvocationRef,
  observe: () => Promise<void>,
): Promise<Reserved> {
  let told = false;
  let isCancelled = root.consideredCancelled;
  setHandler(dependencySettled, () => {
    told = true;
  });
  const startedAtMs = Date.now();
  let hasWaited = false;
  for (let lookMs = LOOK_MS_MIN; ; lookMs = Math.min(LOOK_MS_MAX, lookMs * 2)) {
    told = false;
    const isOver = Date.now() - startedAtMs >= WAIT_MS_MAX;
    const givenUp = isCancelled ? 'cancelled' : isOver ? 'time_over' : null;
    const reservation = await (givenUp ? reserveAndMarkDispatch(ref, givenUp) : reserveAndMarkDispatch(ref));
    if (reservation.decision === 'observe') {
      await observe();
      continue;
    }
    if (reservation.decision !== 'depends') return reservation;
    if (!hasWaited) upsertSearchAttributes(searchAttributes({ stage: 'awaiting_effects' }));
    hasWaited = true;
    setCurrentDetails(waitsForEffects(reservation.effectIds));
    const leftMs = Math.max(1, startedAtMs + WAIT_MS_MAX - Date.now());
    const summary = 'the effects that it depends on, or the next look at them';
    await condition(() => told || root.consideredCancelled, Math.min(lookMs, leftMs), { summary });
    isCancelled = root.consideredCancelled;
  }
}
