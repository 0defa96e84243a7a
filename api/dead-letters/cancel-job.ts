import type { EnvironmentTransaction } from '../../db/client.ts';
import { endJob, getJob, type JobRecord } from '../../db/dead-letters/jobs.ts';
import type { JobKind } from '../../domain/dead-letters/dead-letters.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';

/**
 * Cancels a job that the transaction has locked; `isNew` is false for one cancelled before.
 *
 * @throws {ServiceError} NOT_FOUND when there is none; CONFLICT when it ended otherwise.
 */
export async function cancelJob<Kind extends JobKind>(
  tx: EnvironmentTransaction,
  locked: JobRecord<Kind> | null,
  noun: string,
): Promise<{ job: JobRecord<Kind>; isNew: boolean }> {
  if (locked === null) throw notFound(noun);
  if (locked.status === 'cancelled') return { job: locked, isNew: false };
  if (locked.endedAt !== null) {
    throw new ServiceError('CONFLICT', {
      message: `Job ${locked.id} is ${locked.status}. Only a job under way can be cancelled.`,
    });
  }
  await endJob(tx, locked.id, 'cancelled');
  const job = await getJob(tx, locked.id, [locked.kind]);
  if (job === null) throw new Error(`job ${locked.id} was locked and is gone`);
  return { job, isNew: true };
}
