import { codeOf } from '../../domain/failures.ts';
import { ServiceError } from '../../domain/errors.ts';
import { FairSlots, NoSlotError } from '../../domain/fair-slots.ts';

/** Concurrent reads in this process. Other connections of the pool remain for admissions. */
const READS_MAX = 4;
/** One workspace leaves a slot to others. */
const READS_A_WORKSPACE_MAX = 3;
/** A dashboard asks for everything at once, and each read is short. */
const WAITING_MAX = 64;
const WAITING_A_WORKSPACE_MAX = 26;
const WAIT_MS_MAX = 2_000;
const RETRY_AFTER_SECONDS = 2;
const QUERY_CANCELED = '57014';

export const analyticsReads = new FairSlots({
  slots: READS_MAX,
  slotsAnOwnerMax: READS_A_WORKSPACE_MAX,
  waitingMax: WAITING_MAX,
  waitingAnOwnerMax: WAITING_A_WORKSPACE_MAX,
  waitMsMax: WAIT_MS_MAX,
});

/**
 * Runs a read when it is the workspace's turn. The signal ends the wait, not the read.
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE with Retry-After when no slot was free in time or a statement took too long.
 */
export async function inAnalyticsSlot<T>(workspaceId: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  try {
    return await analyticsReads.run(workspaceId, read, signal);
  } catch (error) {
    if (error instanceof NoSlotError)
      throw unavailable('Too many analytics are being read. Send the request again in a moment.', error);
    if (error instanceof Error && codeOf(error) === QUERY_CANCELED)
      throw unavailable('The numbers of this range took too long to read. Ask for a shorter range.', error);
    throw error;
  }
}

function unavailable(message: string, cause: Error): ServiceError {
  const log = `${message} (${cause.message})`;
  return new ServiceError('SERVICE_UNAVAILABLE', { message, log, cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
