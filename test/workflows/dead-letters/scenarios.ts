import type { DeadLetterJobRef, JobKind, JobStep } from '../../../domain/dead-letters/dead-letters.ts';
import { ENVIRONMENT, inTurn, type Scenario } from '../../replay/scenario.ts';

const more: JobStep = { next: 'go on' };
const wait = (why: 'deliveries' | 'halted'): JobStep => ({ next: 'wait', why });
const end = (status: 'completed' | 'failed' | 'cancelled'): JobStep => ({ next: 'end', status });

/** The job's looks answer these steps. */
function working(kind: JobKind, what: string, ...steps: [JobStep, ...JobStep[]]): Scenario {
  const ref: DeadLetterJobRef = { jobId: 'dlj_0000000000000000000001', kind, ...ENVIRONMENT };
  const workflow = kind === 'retry' ? 'retryDeadLetters' : 'clearDeadLetters';
  const page = inTurn(...steps);
  return {
    name: `${workflow}/${what}.v1`,
    workflow,
    workflowId: `dlq-${kind}/${ref.jobId}`,
    args: [ref],
    activities: { retryDeadLetterPage: () => page(), clearDeadLetterPage: () => page() },
    server: 'time-skipping',
  };
}

export const scenarios: readonly Scenario[] = [
  working('retry', 'completed', more, more, end('completed')),
  working('retry', 'paced', more, wait('deliveries'), wait('deliveries'), more, end('completed')),
  working('retry', 'paused-while-halted', wait('halted'), wait('halted'), more, end('completed')),
  working('retry', 'failed', more, end('failed')),
  working('retry', 'cancelled', more, wait('deliveries'), end('cancelled')),
  working('clear', 'completed', more, more, end('completed')),
  working('clear', 'cancelled', more, end('cancelled')),
];
