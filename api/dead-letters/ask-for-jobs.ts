import type { EnvironmentTransaction } from '../../db/client.ts';
import { withGroupId } from '../../db/dead-letters/records.ts';
import { countJobRecords } from '../../db/dead-letters/job-pages.ts';
import { createJob } from '../../db/dead-letters/jobs.ts';
import type { DeadLetterFilter, DeadLetterJobKind } from '../../domain/dead-letters/dead-letters.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { auditedHost } from '../audit/audited-host.ts';
import { type Actor, type Caller, defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { publisherOf } from '../messages/publisher.ts';
import { wakeJob } from './job-workflows.ts';
import { clearQuery, jobSchema, presentJob, retryAllBody } from './schemas.ts';

const LOOK_AGAIN_SECONDS = 2;
const accepted = ({ id }: { id: string }) => ({
  location: `/api/v2/dlq/jobs/${id}`,
  retryAfterSeconds: LOOK_AGAIN_SECONDS,
});

export const retryAllRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.retryAll',
  method: 'POST',
  path: '/api/v2/dlq/retry-all',
  summary: 'Send all dead letters again, or those of a filter',
  description:
    'A job over the records that are there now: 202, and `GET /api/v2/dlq/jobs/{jobId}` shows its progress. Each record is retried ' +
    'once, page by page: a page begins when most of the last one has been sent, and flow control holds where messages have a key. ' +
    'What fails again is not retried by the same job. With `expectedCount` a set that has changed since it was counted is 409.',
  scope: 'dlq:write',
  role: 'admin',
  request: { body: retryAllBody.optional() },
  response: { 202: jobSchema },
  accepted,
  errors: ['CONFLICT'],
  idempotent: true,
  change: (tx, { body: { expectedCount, ...filter } = {}, ...ctx }) =>
    askFor(tx, ctx, { kind: 'retry', filter, expectedCount }),
});

export const clearRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.clear',
  method: 'DELETE',
  path: '/api/v2/dlq',
  summary: 'Clear the dead letters, or those of a filter, for good',
  description:
    'A job over the records that are there now: 202, and `GET /api/v2/dlq/jobs/{jobId}` shows its progress. The messages stay, as ' +
    '`failed`. In a protected environment the answer without `confirmProtected` is 400, and all records stay. With `expectedCount` a ' +
    'set that has changed since it was counted is 409.',
  scope: 'dlq:write',
  role: 'admin',
  request: { query: clearQuery },
  response: { 202: jobSchema },
  accepted,
  errors: ['CONFLICT'],
  // No Idempotency-Key: its digest excludes the query, so another filter under the same key would replay the first reply.
  async change(tx, { query: { confirmProtected, expectedCount, ...filter }, ...ctx }) {
    const { environment } = ctx.caller;
    if (environment.protected && confirmProtected !== true) {
      throw validationError(
        [{ path: 'query.confirmProtected', message: 'must be true in a protected environment' }],
        `The environment "${environment.name}" is protected. To clear its dead letters for good, send confirmProtected=true.`,
      );
    }
    return askFor(tx, ctx, { kind: 'clear', filter, expectedCount });
  },
});

interface AskedJob {
  kind: DeadLetterJobKind;
  filter: DeadLetterFilter;
  /** How many records whoever asks has seen. */
  expectedCount: number | undefined;
}

async function askFor(
  tx: EnvironmentTransaction,
  { caller, actor, deps }: { caller: Caller; actor: Actor; deps: WorkDependencies },
  { kind, filter: asked, expectedCount }: AskedJob,
) {
  // Stores the group's id, because a job covers the records of this moment.
  const filter = await withGroupId(tx, asked);
  const { publishedBy: requestedBy, apiKeyId, publishesWhileHalted } = publisherOf(caller, actor);
  const job = await createJob(tx, { kind, filter, subscriptionId: null, requestedBy, apiKeyId, publishesWhileHalted });
  if (expectedCount !== undefined) requireCount(await countJobRecords(tx, job), expectedCount);
  return {
    reply: { status: 202, data: presentJob(job) },
    audit: {
      action: kind === 'retry' ? ('dead_letters.retried' as const) : ('dead_letters.cleared' as const),
      target: { type: 'dead_letter_job', id: job.id },
      details: { filter: shownFilter(filter) },
    },
    after: () => wakeJob(deps, caller, job),
  };
}

/** The job's own records are counted, in its transaction: a refusal undoes the job. */
function requireCount(count: number, expected: number): void {
  if (count === expected) return;
  throw new ServiceError('CONFLICT', {
    message: `The filter matches ${count} dead letters, and ${expected} were expected: nothing was done. List them again.`,
    details: { count, expectedCount: expected },
  });
}

function shownFilter({ url, ...others }: DeadLetterFilter): JsonObject {
  return { ...others, ...(url === undefined ? {} : { urlHost: auditedHost(url) }) } as JsonObject;
}
