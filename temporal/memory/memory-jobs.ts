import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { MemoryJobKind, MemoryJobRef, MemoryJobStatus } from '../../domain/memory/memory-jobs.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the boundary of a job's workflow: ids, no filter and no text. */
export const MEMORY_WORKFLOWS = {
  ingest: 'ingestMemory',
  forget: 'forgetMemories',
  delete: 'forgetMemories',
} as const satisfies Record<MemoryJobKind, string>;
export type MemoryJobInput = MemoryJobRef;
export interface MemoryJobResult {
  status: MemoryJobStatus;
}

const SUMMARIES: Record<MemoryJobKind, string> = {
  ingest: 'ingests memories',
  forget: 'forgets memories',
  delete: 'deletes a collection of memories',
};

export function memoryJobWorkflowId({ jobId }: Pick<MemoryJobRef, 'jobId'>): string {
  return `memory-job/${jobId}`;
}

const INGESTS = descriptionOf({
  does: 'Splits the text of a job, embeds its chunks, and stores them as memories, page by page.',
  standsStill:
    'Look at the job with `GET /api/v2/memory/jobs/{id}`: its `error` says what it waits for. It may be terminated: the sweep starts it again at the chunks that are left.',
});
const FORGETS = descriptionOf({
  does: 'Deletes the memories that a filter finds, or those of a deleted collection, page by page.',
  standsStill:
    'Look at the job with `GET /api/v2/memory/jobs/{id}`. It may be terminated: the sweep starts it again with what is left.',
});

/** The row decides: the workflow of a job that has ended finds that, and one that ran to its end goes on where the row is from before it. */
export function memoryJobStart(
  ref: MemoryJobRef,
  taskQueue: string,
  environmentName: string | null,
): Start<[MemoryJobInput]> {
  const { jobId, kind, workspaceId, environmentId } = ref;
  return {
    type: MEMORY_WORKFLOWS[kind],
    options: {
      workflowId: memoryJobWorkflowId(ref),
      taskQueue,
      args: [{ jobId, kind, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('maintenance', workspaceId),
      staticSummary: summaryOf(SUMMARIES[kind], environmentName),
      staticDetails: kind === 'ingest' ? INGESTS : FORGETS,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
