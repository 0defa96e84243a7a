import { condition, defineSignal, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { JobStep } from '../domain/dead-letters/dead-letters.ts';
import { type DeadLetterJobResult, LOOK_SIGNAL } from '../temporal/dead-letters/dead-letter-jobs.ts';

const look = defineSignal(LOOK_SIGNAL);

/** How soon a job looks again when it can do nothing, twice as late each time. */
const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = { deliveries: 10_000, halted: 60_000 } as const;

const DETAILS = {
  deliveries: 'the next page begins when the last one has been sent',
  halted: 'waits while the environment is halted',
} as const;

/**
 * Goes through a job's pages. Each step decides everything from the job's row; this keeps the time. Returns null where the history
 * has become long: the caller continues as new.
 */
export async function runJob(step: () => Promise<JobStep>): Promise<DeadLetterJobResult | null> {
  let woken = false;
  setHandler(look, () => {
    woken = true;
  });
  for (let waits = 0; ;) {
    woken = false;
    const done = await step();
    if (done.next === 'end') return { status: done.status };
    if (workflowInfo().continueAsNewSuggested) return null;
    if (done.next === 'go on') {
      waits = 0;
      continue;
    }
    setCurrentDetails(DETAILS[done.why]);
    await condition(() => woken, Math.min(WAIT_MS_MAX[done.why], WAIT_MS_MIN * 2 ** waits++), {
      summary: DETAILS[done.why],
    });
  }
}
