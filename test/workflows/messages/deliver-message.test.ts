import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { DeliveryStep } from '../../../domain/messages/messages.ts';
import { nextAttemptDelayMs } from '../../../domain/messages/retry.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

const ref = () => ({ messageId: `msg_${randomUUID()}`, workspaceId: randomUUID(), environmentId: randomUUID() });
const end = (status: 'delivered' | 'failed' | 'cancelled'): DeliveryStep => ({ next: 'end', status, callbackIds: [] });

/** Runs a delivery whose visits return these steps, and returns the server's time of each visit. */
async function deliver(
  steps: DeliveryStep[],
  workflowId?: string,
): Promise<{ result: unknown; visitedAtMs: number[] }> {
  const visitedAtMs: number[] = [];
  const { activities } = doubles({
    attemptMessageAtOnce: async () => {
      visitedAtMs.push(await environment.currentTimeMs());
      return steps[visitedAtMs.length - 1] ?? end('delivered');
    },
  });
  const result = await runWorkflow(environment, 'deliverMessage', [ref()], activities, workflowId);
  return { result, visitedAtMs };
}

const gapsOf = (times: number[]): number[] => times.slice(1).map((time, index) => time - (times[index] ?? 0));
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

describe('deliverMessage', () => {
  test('visits once what is delivered at once', async () => {
    const { result, visitedAtMs } = await deliver([]);
    expect([result, visitedAtMs.length]).toEqual([{ status: 'delivered' }, 1]);
  });

  test('that finds no slot at once is attempted in the queue of deliveries', async () => {
    const { activities, calls } = doubles({
      attemptMessageAtOnce: () => Promise.resolve(null),
      attemptMessage: () => Promise.resolve(end('delivered')),
    });
    const workflowId = `message/${randomUUID()}`;
    expect(await runWorkflow(environment, 'deliverMessage', [ref()], activities, workflowId)).toEqual({
      status: 'delivered',
    });
    expect(calls).toEqual(['attemptMessageAtOnce', 'attemptMessage']);
    const history = await environment.client.workflow.getHandle(workflowId).fetchHistory();
    const queues = history.events?.flatMap(
      ({ activityTaskScheduledEventAttributes: asked }) => asked?.taskQueue?.name ?? [],
    );
    expect(queues?.map((queue) => queue.endsWith('/deliveries'))).toEqual([false, true]);
  });

  test('keeps the whole default schedule: five retries, the last after a day', async () => {
    const failed = {
      maxRetries: 5,
      retryDelaysMs: null,
      responseStatus: 500,
      retryAfter: null,
      lost: 0,
      isLost: false,
      blocked: false,
    };
    const steps = [1, 2, 3, 4, 5, 6].map((attempts): DeliveryStep => {
      const delayMs = nextAttemptDelayMs({ ...failed, attempts }, 0, 0.5);
      return delayMs === null ? end('failed') : { next: 'wait', delayMs };
    });
    const { result, visitedAtMs } = await deliver(steps);
    expect(result).toEqual({ status: 'failed' });
    const seconds = gapsOf(visitedAtMs).map((gap) => gap / SECOND_MS);
    const expected = [12.18, 148.41, 1_808.04, 22_026.47, 86_400];
    expect(seconds).toHaveLength(expected.length);
    for (const [index, gap] of seconds.entries()) {
      expect(gap).toBeGreaterThanOrEqual((expected[index] ?? 0) - 0.1);
      expect(gap).toBeLessThan((expected[index] ?? 0) + 5);
    }
  });

  test('waits a month for what is scheduled in a month', async () => {
    const { visitedAtMs } = await deliver([{ next: 'wait', delayMs: 30 * DAY_MS }]);
    expect(gapsOf(visitedAtMs)[0]).toBeGreaterThanOrEqual(30 * DAY_MS);
  });

  test('looks again at once when it is woken', async () => {
    const workflowId = `message/${randomUUID()}`;
    const visitedAtMs: number[] = [];
    const { activities } = doubles({
      attemptMessageAtOnce: async () => {
        visitedAtMs.push(await environment.currentTimeMs());
        if (visitedAtMs.length > 1) return end('cancelled');
        // Before the answer: a signal that arrives during the visit must not be lost.
        await environment.client.workflow.getHandle(workflowId).signal('wake');
        return { next: 'wait', delayMs: 365 * DAY_MS };
      },
    });
    const result = await runWorkflow(environment, 'deliverMessage', [ref()], activities, workflowId);
    expect(result).toEqual({ status: 'cancelled' });
    expect(gapsOf(visitedAtMs)[0]).toBeLessThan(DAY_MS);
  });

  test('starts the callbacks of its end, which outlive it', async () => {
    const visited: string[] = [];
    const callbackIds = [`msg_${randomUUID()}`, `msg_${randomUUID()}`];
    let ended = 0;
    const activities: Partial<Activities> = {
      attemptMessageAtOnce: async ({ messageId }) => {
        visited.push(messageId);
        if (callbackIds.includes(messageId)) {
          ended++;
          return end('delivered');
        }
        return { next: 'end', status: 'failed', callbackIds };
      },
    };
    const taskRef = ref();
    await runWorkflow(environment, 'deliverMessage', [taskRef], doubles(activities).activities);
    expect(visited[0]).toBe(taskRef.messageId);
    for (const id of callbackIds) {
      const { type } = await environment.client.workflow.getHandle(`message/${id}`).describe();
      expect(type).toBe('deliverMessage');
    }
    expect(ended).toBeLessThanOrEqual(2);
  });
});

describe('the workflows that wake messages', () => {
  test('resumeMessages wakes page by page, and then lets flow-control keys grant', async () => {
    const pages = [
      { woken: 100, afterId: 'b' },
      { woken: 7, afterId: null },
    ];
    const asked: string[] = [];
    const granted: string[] = [];
    const { activities } = doubles({
      wakeHeldMessages: async (_tenant, afterId) => {
        asked.push(afterId);
        return pages[asked.length - 1] ?? { woken: 0, afterId: null };
      },
      grantAfterHalt: async (_tenant, afterId) => {
        granted.push(afterId);
        return afterId === '' ? 'fck_a' : null;
      },
    });
    const input = { workspaceId: randomUUID(), environmentId: randomUUID() };
    expect(await runWorkflow(environment, 'resumeMessages', [input], activities)).toBe(107);
    expect([asked, granted]).toEqual([
      ['', 'b'],
      ['', 'fck_a'],
    ]);
  });

  test('startMessages gives all of a batch to their turn', async () => {
    const messageIds = Array.from({ length: 250 }, (_, n) => `msg_${n}`);
    const started: string[][] = [];
    const { activities } = doubles({
      startInTurn: async (_tenant, ids) => void started.push(ids),
    });
    const input = { workspaceId: randomUUID(), environmentId: randomUUID(), messageIds };
    expect(await runWorkflow(environment, 'startMessages', [input], activities)).toBe(250);
    expect(started).toEqual([messageIds]);
  });
});
