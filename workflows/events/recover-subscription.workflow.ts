import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DeadLetterJobInput, DeadLetterJobResult } from '../../temporal/dead-letters/dead-letter-jobs.ts';
import { onQueue, PAGE_OPTIONS } from '../activity-options.ts';
import { runJob } from '../run-job.ts';

/** Delivers again what failed for a subscription, page by page, each as soon as the last one has been sent. */
export async function recoverSubscription(ref: DeadLetterJobInput): Promise<DeadLetterJobResult> {
  const { recoverSubscriptionPage } = proxyActivities<Activities>({
    ...PAGE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'delivers a page of failed deliveries again',
  });
  return (await runJob(() => recoverSubscriptionPage(ref))) ?? (await continueAsNew<typeof recoverSubscription>(ref));
}
