import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DeadLetterJobInput, DeadLetterJobResult } from '../../temporal/dead-letters/dead-letter-jobs.ts';
import { onQueue, PAGE_OPTIONS } from '../activity-options.ts';
import { runJob } from '../run-job.ts';

/** Deletes the dead letters of a job, page by page. */
export async function clearDeadLetters(ref: DeadLetterJobInput): Promise<DeadLetterJobResult> {
  const { clearDeadLetterPage } = proxyActivities<Activities>({
    ...PAGE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'deletes a page of dead letters',
  });
  return (await runJob(() => clearDeadLetterPage(ref))) ?? (await continueAsNew<typeof clearDeadLetters>(ref));
}
