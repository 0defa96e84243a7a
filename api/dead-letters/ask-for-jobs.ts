import type { EnvironmentTransaction } from '../../db/client.ts';
import { withGroupId } from '../../db/dead-letters/records.ts';
import { createJob } from '../../db/dead-letters/jobs.ts';
import type { DeadLetterFilter, DeadLetterJobKind } from '../../domain/dead-letters/dead-letters.ts';
import { validationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { auditedHost } from '../audit/audited-host.ts';
import { type Actor, type Caller, defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { queryBoolean } from '../http/common-fields.ts';
import { publisherOf } from '../messages/publisher.ts';
import { wakeJob } from './job-workflows.ts';
import { filterBody, filterQuery, jobSchema, presentJob } from './schemas.ts';

const CONFIRMATION =
  'In a protected environment send `confirmProtected=true`, because nothing brings the records back.';
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
    'What fails again is not retried by the same job.',
  scope: 'dlq:write',
  role: 'admin',
  request: { body: filterBody.optional() },
  response: { 202: jobSchema },
  accepted,
  errors: ['CONFLICT'],
  idempotent: true,
  change: (tx, { body, ...ctx }) => askFor(tx, ctx, 'retry', body ?? {}),
});

export const clearRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.clear',
  method: 'DELETE',
  path: '/api/v2/dlq',
  summary: 'Clear the dead letters, or those of a filter, for good',
  description:
    'A job over the records that are there now: 202, and `GET /api/v2/dlq/jobs/{jobId}` shows its progress. The messages stay, as ' +
    `\`failed\`. ${CONFIRMATION} Without it the answer is 400 and all records stay.`,
  scope: 'dlq:write',
  role: 'admin',
  request: { query: filterQuery.extend({ confirmProtected: queryBoolean.optional().describe(CONFIRMATION) }) },
  response: { 202: jobSchema },
  accepted,
  errors: ['CONFLICT'],
  // No Idempotency-Key: its digest excludes the query, so another filter under the same key would replay the first reply.
  async change(tx, { query: { confirmProtected, ...filter }, ...ctx }) {
    const { environment } = ctx.caller;
    if (environment.protected && confirmProtected !== true) {
      throw validationError(
        [{ path: 'query.confirmProtected', message: 'must be true in a protected environment' }],
        `The environment "${environment.name}" is protected. To clear its dead letters for good, send confirmProtected=true.`,
      );
    }
    return askFor(tx, ctx, 'clear', filter);
  },
});

async function askFor(
  tx: EnvironmentTransaction,
  { caller, actor, deps }: { caller: Caller; actor: Actor; deps: WorkDependencies },
  kind: DeadLetterJobKind,
  asked: DeadLetterFilter,
) {
  // Stores the group's id, because a job covers the records of this moment.
  const filter = await withGroupId(tx, asked);
  const { publishedBy: requestedBy, apiKeyId, publishesWhileHalted } = publisherOf(caller, actor);
  const job = await createJob(tx, { kind, filter, subscriptionId: null, requestedBy, apiKeyId, publishesWhileHalted });
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

function shownFilter({ url, ...others }: DeadLetterFilter): JsonObject {
  return { ...others, ...(url === undefined ? {} : { urlHost: auditedHost(url) }) } as JsonObject;
}
