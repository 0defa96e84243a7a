import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { MemoryJobInput, MemoryJobResult } from '../../temporal/memory/memory-jobs.ts';
import { onQueue, PAGE_OPTIONS } from '../activity-options.ts';
import { runJob } from '../run-job.ts';

/** Splits what a job was given, then embeds and stores its chunks, page by page. */
export async function ingestMemory(ref: MemoryJobInput): Promise<MemoryJobResult> {
  const { ingestMemoryPage } = proxyActivities<Activities>({
    ...PAGE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'embeds and stores a page of chunks',
  });
  return (await runJob(() => ingestMemoryPage(ref))) ?? (await continueAsNew<typeof ingestMemory>(ref));
}
