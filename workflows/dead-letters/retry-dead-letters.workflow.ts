import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DeadLetterJobInput, DeadLetterJobResult } from '../../temporal/dead-letters/dead-letter-jobs.ts';
import { onQueue, PAGE_OPTIONS } from '../activity-options.ts';
import { runJob } from '../run-job.ts';

/** Retries the dead letters of a job, page by page, each as soon as the last one has been sent. */
export async function retryDeadLetters(ref: DeadLetterJobInput): Promise<DeadLetterJobResult> {
  const { retryDeadLetterPage } = proxyActivities<Activities>({
    ...PAGE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'retries a page of dead letters',
  });
  return (await runJob(() => retryDeadLetterPage(ref))) ?? (await continueAsNew<typeof retryDeadLetters>(ref));
}
