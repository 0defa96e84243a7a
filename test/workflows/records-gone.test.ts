import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createActivities } from '../../activities/index.ts';
import { newId } from '../../domain/ids.ts';
import type * as registry from '../../workflows/index.ts';
import { ActivityWorld } from '../activities/invocations/world.ts';
import { createDevServerEnvironment } from '../harness/temporal.ts';
import { withTestWorker } from './harness.ts';

/**
 * The database was restored to a time before the record of a workflow, and Temporal went on. Every workflow ends then, and none asks for its
 * record again and again.
 */

const [world, environment] = await Promise.all([ActivityWorld.start(), createDevServerEnvironment()]);
// A firing without its schedule has Temporal forget that.
const activities = createActivities(world.dependencies({ forgetSchedule: () => Promise.resolve() }));

const effect = () => ({ invocationId: newId('invocation'), effectId: newId('effect'), actionName: 'refund.create' });
/** What each workflow is about, but for the tenant. Two are about no record: the sweep, and the pacer of an environment's messages. */
const RECORDS: Record<Exclude<keyof typeof registry, 'sweepMaintenance'>, () => object> = {
  awaitApproval: () => ({ approvalId: newId('approval'), invocationId: newId('invocation'), subject: 'refund.create' }),
  closeBillingMonth: () => ({ month: '2026-01' }),
  clearDeadLetters: () => ({ jobId: newId('deadLetterJob'), kind: 'clear' }),
  retryDeadLetters: () => ({ jobId: newId('deadLetterJob'), kind: 'retry' }),
  fanOutEvent: () => ({ eventId: newId('event') }),
  recoverSubscription: () => ({ jobId: newId('eventRecovery'), kind: 'recover' }),
  invokeAction: () => ({ invocationId: newId('invocation') }),
  ingestMemory: () => ({ jobId: newId('memoryJob'), kind: 'ingest' }),
  forgetMemories: () => ({ jobId: newId('memoryJob'), kind: 'forget' }),
  deliverMessage: () => ({ messageId: newId('message') }),
  sendEmail: () => ({ emailId: newId('notificationEmail') }),
  paceMessages: () => ({}),
  fireSchedule: () => ({ scheduleId: newId('schedule'), trigger: 'schedule', nominalAt: '2026-01-01T00:00:00.000Z' }),
  observePreview: () => ({ previewId: newId('preview') }),
  reconcileEffect: effect,
  replayEffect: () => ({ ...effect(), attemptId: newId('attempt'), timeoutMs: 1_000 }),
  watchReversal: effect,
};
const ENDS_WITHIN_MS = 20_000;

describe.each([
  ['the record of a workflow is gone', world.database.tenant],
  ['its environment and workspace are gone too', { workspaceId: randomUUID(), environmentId: randomUUID() }],
])('where %s', (_, tenant) => {
  test('every workflow ends', { timeout: 3 * ENDS_WITHIN_MS }, async () => {
    const taskQueue = randomUUID();
    const ends = await withTestWorker(environment, { taskQueue, activities }, () =>
      Promise.all(
        Object.entries(RECORDS).map(async ([workflow, recordOf]) => {
          const handle = await environment.client.workflow.start(workflow, {
            workflowId: randomUUID(),
            taskQueue,
            args: [{ ...tenant, ...recordOf() }],
          });
          const late = new Promise<string>((resolve) => setTimeout(() => resolve('goes on'), ENDS_WITHIN_MS).unref());
          const end = handle.result().then(
            () => 'completed',
            (error: unknown) => (error instanceof WorkflowFailedError ? 'failed' : String(error)),
          );
          const how = await Promise.race([end, late]);
          if (how === 'goes on') await handle.terminate();
          return [workflow, how] as const;
        }),
      ),
    );
    expect(ends.filter(([, how]) => how !== 'completed' && how !== 'failed')).toEqual([]);
    // Nobody waits for one whose admission was never acknowledged, or is lost: that is no failure.
    expect(Object.fromEntries(ends)['invokeAction']).toBe('completed');
  });
});
