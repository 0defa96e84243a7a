import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { createJob, getJob, type JobRecord, listJobs, lockJob } from '../../db/dead-letters/jobs.ts';
import { findTarget, type LiveTarget } from '../../db/events/fan-out.ts';
import { JOB_STATUSES } from '../../domain/dead-letters/dead-letters.ts';
import { existing, notFound, ServiceError } from '../../domain/errors.ts';
import { cancelJob } from '../dead-letters/cancel-job.ts';
import { wakeJob } from '../dead-letters/job-workflows.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { publisherOf } from '../messages/publisher.ts';
import { presentRecovery, recoverBody, recoveryParams, recoverySchema } from './delivery-schemas.ts';
import { subscriptionParams } from './schemas.ts';

/** Recoveries redeliver a subscription's failures, with the machinery of dead-letter jobs. */
const KINDS = ['recover'] as const;
const LOOK_AGAIN_SECONDS = 2;

export const recoverSubscriptionRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.recover',
  method: 'POST',
  path: '/api/v2/events/subscriptions/{subscriptionId}/recover',
  summary: 'Deliver again what failed for a subscription',
  description:
    'A job over the deliveries that have failed for good since then: 202, and its `Location` shows the progress. Each is published again ' +
    'once, to where the subscription points now, page by page: a page begins when most of the last one has been sent. What fails again ' +
    'is not recovered by the same job. 409: the subscription is disabled, or a recovery of it is under way.',
  scope: 'events:write',
  role: 'admin',
  request: { params: subscriptionParams, body: recoverBody },
  response: { 202: recoverySchema },
  accepted: ({ id, subscriptionId }: { id: string; subscriptionId: string }) => ({
    location: `/api/v2/events/subscriptions/${subscriptionId}/recoveries/${id}`,
    retryAfterSeconds: LOOK_AGAIN_SECONDS,
  }),
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { subscriptionId }, body: { since }, caller, actor, deps }) {
    const target = await liveTarget(tx, subscriptionId);
    if (!target.enabled) {
      throw new ServiceError('CONFLICT', {
        message: 'The subscription is disabled, and a disabled one gets nothing. Enable it, then recover it.',
      });
    }
    const { publishedBy: requestedBy, apiKeyId, publishesWhileHalted } = publisherOf(caller, actor);
    const asked = { kind: 'recover', filter: { startDate: since }, subscriptionId } as const;
    const job = await createJob(tx, { ...asked, requestedBy, apiKeyId, publishesWhileHalted });
    return {
      reply: { status: 202, data: presentRecovery(job) },
      audit: {
        action: 'subscription.recovered',
        target: { type: 'subscription', id: subscriptionId },
        details: { recoveryId: job.id, since },
      },
      after: () => wakeJob(deps, caller, job),
    };
  },
});

export const listRecoveriesRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.recoveries.list',
  method: 'GET',
  path: '/api/v2/events/subscriptions/{subscriptionId}/recoveries',
  summary: "List a subscription's recoveries, newest first",
  scope: 'events:read',
  role: 'member',
  request: { params: subscriptionParams, query: z.strictObject({ status: z.enum(JOB_STATUSES).optional() }) },
  response: { 200: z.array(recoverySchema) },
  async list(tx, { params: { subscriptionId }, query, page }) {
    await liveTarget(tx, subscriptionId);
    return presented(await listJobs(tx, { kinds: KINDS, subscriptionId, ...query, ...page }), presentRecovery);
  },
});

export const getRecoveryRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.recoveries.get',
  method: 'GET',
  path: '/api/v2/events/subscriptions/{subscriptionId}/recoveries/{recoveryId}',
  summary: 'Get a recovery, with its progress',
  scope: 'events:read',
  role: 'member',
  request: { params: recoveryParams },
  response: { 200: recoverySchema },
  async read(tx, { params: { subscriptionId, recoveryId } }) {
    const job = ofSubscription(subscriptionId, await getJob(tx, recoveryId, KINDS));
    if (job === null) throw notFound('recovery');
    return presentRecovery(job);
  },
});

export const cancelRecoveryRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.recoveries.cancel',
  method: 'POST',
  path: '/api/v2/events/subscriptions/{subscriptionId}/recoveries/{recoveryId}/cancel',
  summary: 'Cancel a recovery',
  description:
    'No page begins after the 200. What was published again stays so. A recovery that has ended otherwise answers 409.',
  scope: 'events:write',
  role: 'admin',
  request: { params: recoveryParams },
  response: { 200: recoverySchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { subscriptionId, recoveryId }, caller, deps }) {
    const locked = ofSubscription(subscriptionId, await lockJob(tx, recoveryId, KINDS));
    const { job, isNew } = await cancelJob(tx, locked, 'recovery');
    return {
      reply: { status: 200, data: presentRecovery(job) },
      audit: isNew
        ? {
            action: 'subscription.recovery_cancelled',
            target: { type: 'subscription', id: subscriptionId },
            details: { recoveryId },
          }
        : 'none: the recovery was cancelled before',
      after: () => wakeJob(deps, caller, job),
    };
  },
});

function ofSubscription(subscriptionId: string, job: JobRecord<'recover'> | null): JobRecord<'recover'> | null {
  return job?.subscriptionId === subscriptionId ? job : null;
}

async function liveTarget(tx: EnvironmentTransaction, subscriptionId: string): Promise<LiveTarget> {
  const target = existing(await findTarget(tx, subscriptionId), 'subscription');
  return target;
}
