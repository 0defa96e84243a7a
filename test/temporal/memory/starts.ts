import { memoryJobStart } from '../../../temporal/memory/memory-jobs.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['memory-job/job_1', memoryJobStart({ ...REF, jobId: 'job_1', kind: 'ingest' }, 'q', ENVIRONMENT), OF_TENANT],
  ['memory-job/job_1', memoryJobStart({ ...REF, jobId: 'job_1', kind: 'forget' }, 'q', ENVIRONMENT), OF_TENANT],
];
