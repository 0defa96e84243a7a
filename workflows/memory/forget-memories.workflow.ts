import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { MemoryJobInput, MemoryJobResult } from '../../temporal/memory/memory-jobs.ts';
import { onQueue, PAGE_OPTIONS } from '../activity-options.ts';
import { runJob } from '../run-job.ts';

/** Deletes what a filter finds, or what a deleted collection held, page by page. */
export async function forgetMemories(ref: MemoryJobInput): Promise<MemoryJobResult> {
  const { forgetMemoryPage } = proxyActivities<Activities>({
    ...PAGE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'deletes a page of memories',
  });
  return (await runJob(() => forgetMemoryPage(ref))) ?? (await continueAsNew<typeof forgetMemories>(ref));
}
