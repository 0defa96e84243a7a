import { deadLetterJobStart } from '../../../temporal/dead-letters/dead-letter-jobs.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['dlq-retry/dlj_1', deadLetterJobStart({ ...REF, jobId: 'dlj_1', kind: 'retry' }, 'q', ENVIRONMENT), OF_TENANT],
  ['dlq-clear/dlj_1', deadLetterJobStart({ ...REF, jobId: 'dlj_1', kind: 'clear' }, 'q', ENVIRONMENT), OF_TENANT],
  ['recover/rcv_1', deadLetterJobStart({ ...REF, jobId: 'rcv_1', kind: 'recover' }, 'q', ENVIRONMENT), OF_TENANT],
];
