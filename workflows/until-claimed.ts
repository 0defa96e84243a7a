import { ActivityFailure, log, sleep } from '@temporalio/workflow';
import type { UnclaimedInput } from '../activities/in-flight/is-unclaimed.ts';
import type { NoPlace } from '../domain/in-flight.ts';
import { sqlActivities } from './activity-options.ts';
import type { LaneQueue } from './lane-queue.ts';

const { isUnclaimed } = sqlActivities({ isUnclaimed: 'looks whether any worker has claimed the call' });

/** Before a call that did not report back is given out again; it doubles each time. */
const AGAIN_MS_MIN = 1_000;
const AGAIN_MS_MAX = 30_000;

const LOST = { seen: 'lost' } as const;

/**
 * Sends a call that is sent at most once, when the workspace has a place for it. A task may be lost before any worker claims the
 * call: its worker was killed, or the server recorded that it gave the task out and then did not (Temporal's matching cancels
 * its own write after a second, and the write may be committed). The claim is what lets one execution ever send, and it is in
 * the record: while nobody has claimed the call, it is given out again. Null where it was claimed and did not report back, and
 * where the wait is over: the record says which.
 */
export async function untilClaimed<T extends object>(
  places: LaneQueue,
  call: UnclaimedInput,
  { what, send, untilMs }: { what: string; send: () => Promise<T | NoPlace>; untilMs: number },
): Promise<T | null> {
  const ask = async (): Promise<T | NoPlace | typeof LOST> => {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a call did not report back', { reason: error.cause?.message });
      return LOST;
    }
  };
  for (let pauseMs = AGAIN_MS_MIN; ; pauseMs = Math.min(AGAIN_MS_MAX, pauseMs * 2)) {
    const answer = await places.ask(what, ask, { untilMs });
    if (answer !== LOST) return answer as T | null;
    const { workspaceId, environmentId, invocationId, attemptId } = call;
    const ref = { workspaceId, environmentId, invocationId, ...(attemptId === undefined ? {} : { attemptId }) };
    if (Date.now() + pauseMs >= untilMs || !(await isUnclaimed(ref))) return null;
    await sleep(pauseMs, { summary: 'before the call that nobody claimed is given out again' });
  }
}
