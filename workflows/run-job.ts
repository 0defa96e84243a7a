import { condition, defineSignal, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { NoPlace } from '../domain/in-flight.ts';
import { LOOK_SIGNAL } from '../temporal/look-signal.ts';
import { LaneQueue } from './lane-queue.ts';

const look = defineSignal(LOOK_SIGNAL);

/** How soon a job looks again when it can do nothing, twice as late each time, and what the Temporal UI says meanwhile. */
const WAIT_MS_MIN = 500;
const WAITS = {
  deliveries: { msMax: 10_000, details: 'the next page begins when the last one has been sent' },
  halted: { msMax: 60_000, details: 'waits while the environment is halted' },
  embeddings: { msMax: 60_000, details: 'waits until the embeddings are back' },
  paused: { msMax: 60_000, details: 'waits while expensive work is paused' },
} as const;

type Step<Status> = { next: 'go on' } | { next: 'wait'; why: keyof typeof WAITS } | { next: 'end'; status: Status };

/**
 * Goes through a job's pages. Each step decides everything from the job's row; this keeps the time. Returns null where the history
 * has become long: the caller continues as new.
 */
export async function runJob<Status>(step: () => Promise<Step<Status> | NoPlace>): Promise<{ status: Status } | null> {
  const places = new LaneQueue();
  let woken = false;
  setHandler(look, () => {
    woken = true;
  });
  for (let waits = 0; ;) {
    woken = false;
    const done = await places.turn('maintenance', step);
    if (done.next === 'end') return { status: done.status };
    if (workflowInfo().continueAsNewSuggested) return null;
    if (done.next === 'go on') {
      waits = 0;
      continue;
    }
    const { msMax, details } = WAITS[done.why];
    setCurrentDetails(details);
    await condition(() => woken, Math.min(msMax, WAIT_MS_MIN * 2 ** waits++), { summary: details });
  }
}
