import type { NoPlace } from '../../../domain/in-flight.ts';
import type { MemoryJobKind, MemoryJobRef, MemoryJobStep } from '../../../domain/memory/memory-jobs.ts';
import { ENVIRONMENT, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

const more: MemoryJobStep = { next: 'go on' };
const wait = (why: 'embeddings' | 'paused'): MemoryJobStep => ({ next: 'wait', why });
const end = (status: 'succeeded' | 'failed'): MemoryJobStep => ({ next: 'end', status });

/** The job's looks answer these steps. */
function working(
  kind: MemoryJobKind,
  what: string,
  ...steps: [MemoryJobStep | NoPlace, ...(MemoryJobStep | NoPlace)[]]
): Scenario {
  const ref: MemoryJobRef = { jobId: 'job_0000000000000000000001', kind, ...ENVIRONMENT };
  const workflow = kind === 'ingest' ? 'ingestMemory' : 'forgetMemories';
  const page = inTurn(...steps);
  return {
    name: `${workflow}/${what}.v1`,
    workflow,
    workflowId: `memory-job/${ref.jobId}`,
    args: [ref],
    activities: { ingestMemoryPage: () => page(), forgetMemoryPage: () => page() },
    server: 'time-skipping',
  };
}

export const scenarios: readonly Scenario[] = [
  working('ingest', 'succeeded', more, more, more, end('succeeded')),
  working('ingest', 'embeddings-away', more, wait('embeddings'), wait('embeddings'), more, end('succeeded')),
  working('ingest', 'paused', wait('paused'), wait('paused'), more, end('succeeded')),
  working('ingest', 'queued', NO_PLACE, more, wait('embeddings'), NO_PLACE, more, end('succeeded')),
  working('ingest', 'failed', more, end('failed')),
  working('forget', 'succeeded', more, more, end('succeeded')),
  working('delete', 'collection-deleted', more, end('succeeded')),
];
