import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { DeadLetterJobRef, JobKind, JobStatus } from '../../domain/dead-letters/dead-letters.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the boundary of a job's workflow: ids, no filter and no message. */
export const DEAD_LETTER_WORKFLOWS = {
  retry: 'retryDeadLetters',
  clear: 'clearDeadLetters',
  recover: 'recoverSubscription',
} as const satisfies Record<JobKind, string>;
export type DeadLetterJobInput = DeadLetterJobRef;
export interface DeadLetterJobResult {
  status: JobStatus;
}

const PREFIXES: Record<JobKind, string> = { retry: 'dlq-retry', clear: 'dlq-clear', recover: 'recover' };
const SUMMARIES: Record<JobKind, string> = {
  retry: 'retries dead letters',
  clear: 'clears dead letters',
  recover: 'recovers a subscription',
};

export function deadLetterJobWorkflowId({ kind, jobId }: Pick<DeadLetterJobRef, 'kind' | 'jobId'>): string {
  return `${PREFIXES[kind]}/${jobId}`;
}

const DESCRIPTIONS: Record<JobKind, string> = {
  retry: descriptionOf({
    does: 'Retries the dead letters of a job, page by page, each page when most of the last one has been sent.',
    standsStill:
      'Look at the job with `GET /api/v2/dlq/jobs/{id}`. It may be terminated: the sweep starts it again at its cursor.',
  }),
  clear: descriptionOf({
    does: 'Deletes the dead letters of a job, page by page.',
    standsStill:
      'Look at the job with `GET /api/v2/dlq/jobs/{id}`. It may be terminated: the sweep starts it again at its cursor.',
  }),
  recover: descriptionOf({
    does: 'Delivers again what failed for one subscription, page by page, each page when most of the last one has been sent.',
    standsStill:
      'Look at `GET /api/v2/events/subscriptions/{id}/recoveries`. It may be terminated: the sweep starts it again at its cursor.',
  }),
};

/** The row decides: the workflow of a job that has ended finds that, and one that ran to its end goes on where the row is from before it. */
export function deadLetterJobStart(
  ref: DeadLetterJobRef,
  taskQueue: string,
  environmentName: string | null,
): Start<[DeadLetterJobInput]> {
  const { jobId, kind, workspaceId, environmentId } = ref;
  return {
    type: DEAD_LETTER_WORKFLOWS[kind],
    options: {
      workflowId: deadLetterJobWorkflowId(ref),
      taskQueue,
      args: [{ jobId, kind, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('maintenance', workspaceId),
      staticSummary: summaryOf(SUMMARIES[kind], environmentName),
      staticDetails: DESCRIPTIONS[kind],
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
