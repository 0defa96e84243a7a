import { z } from 'zod';
import { getJob, listJobs, lockJob } from '../../db/dead-letters/jobs.ts';
import { DEAD_LETTER_JOB_KINDS, JOB_STATUSES } from '../../domain/dead-letters/dead-letters.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { cancelJob } from './cancel-job.ts';
import { wakeJob } from './job-workflows.ts';
import { jobParams, jobSchema, presentJob } from './schemas.ts';

export const listJobsRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.jobs.list',
  method: 'GET',
  path: '/api/v2/dlq/jobs',
  summary: 'List jobs that retry or clear dead letters, newest first',
  scope: 'dlq:read',
  role: 'member',
  request: { query: z.strictObject({ status: z.enum(JOB_STATUSES).optional() }) },
  response: { 200: z.array(jobSchema) },
  list: async (tx, { query, page }) =>
    presented(await listJobs(tx, { kinds: DEAD_LETTER_JOB_KINDS, ...query, ...page }), presentJob),
});

export const getJobRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.jobs.get',
  method: 'GET',
  path: '/api/v2/dlq/jobs/{jobId}',
  summary: 'Get a job, with its progress',
  scope: 'dlq:read',
  role: 'member',
  request: { params: jobParams },
  response: { 200: jobSchema },
  read: async (tx, { params }) =>
    presentJob(existing(await getJob(tx, params.jobId, DEAD_LETTER_JOB_KINDS), 'dead-letter job')),
});

export const cancelJobRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.jobs.cancel',
  method: 'POST',
  path: '/api/v2/dlq/jobs/{jobId}/cancel',
  summary: 'Cancel a job',
  description:
    'No page begins after the 200. What was retried or cleared stays so, and the other records stay where they are. A job that has ' +
    'ended otherwise answers 409.',
  scope: 'dlq:write',
  role: 'admin',
  request: { params: jobParams },
  response: { 200: jobSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { jobId }, caller, deps }) {
    const { job, isNew } = await cancelJob(tx, await lockJob(tx, jobId, DEAD_LETTER_JOB_KINDS), 'dead-letter job');
    return {
      reply: { status: 200, data: presentJob(job) },
      audit: isNew
        ? { action: 'dead_letters.job_cancelled', target: { type: 'dead_letter_job', id: jobId } }
        : 'none: the job was cancelled before',
      after: () => wakeJob(deps, caller, job),
    };
  },
});
