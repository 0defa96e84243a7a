import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { DeliveryStep, MessageEnd } from '../../../domain/messages/messages.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const wait = (dueInMs: number): DeliveryStep => ({ next: 'wait', dueInMs });
const end = (status: MessageEnd): DeliveryStep => ({ next: 'end', status });
const attempt: DeliveryStep = { next: 'attempt' };

interface Told {
  steps: DeliveryStep[];
  /** The answers to a cancellation in Temporal, in turn. */
  cancels?: (MessageEnd | null)[];
  /** During a look, counted from 0: what happens then must not be lost. */
  during?: (look: number, workflow: WorkflowHandle) => Promise<unknown>;
}

/** Runs a delivery whose looks return these steps. Returns its result, the server's time of each look, and the calls. */
async function deliver({ steps, cancels = [], during = () => Promise.resolve() }: Told) {
  const looksMs: number[] = [];
  const workflowId = `message/${randomUUID()}`;
  const { activities, calls } = doubles({
    handOverMessage: async () => {
      const look = looksMs.push(await environment.currentTimeMs()) - 1;
      await during(look, environment.client.workflow.getHandle(workflowId));
      return steps[look] ?? end('delivered');
    },
    cancelDelivery: () => Promise.resolve(cancels.shift() ?? null),
  });
  const ref = { messageId: `msg_${randomUUID()}`, workspaceId: randomUUID(), environmentId: randomUUID() };
  const result = await runWorkflow(environment, 'deliverMessage', [ref], activities, workflowId);
  const gapsMs = looksMs.slice(1).map((time, index) => time - (looksMs[index] ?? 0));
  return { result, gapsMs, calls };
}
const tell = (workflow: WorkflowHandle) => workflow.signal('wake');

/** Each gap is at least as long as it was asked for, and not much longer. */
function expectGaps(gapsMs: readonly number[], wantedMs: readonly number[]): void {
  expect(gapsMs).toHaveLength(wantedMs.length);
  for (const [index, wantedGapMs] of wantedMs.entries()) {
    expect(gapsMs[index]).toBeGreaterThanOrEqual(wantedGapMs - 0.1 * SECOND_MS);
    expect(gapsMs[index]).toBeLessThan(wantedGapMs + 5 * SECOND_MS);
  }
}

describe('deliverMessage', () => {
  test('looks when the message is due, a month from now or after a retry, and ends as the message did', async () => {
    const told = { steps: [wait(30 * DAY_MS), attempt, wait(12 * SECOND_MS), attempt, end('failed')] };
    // The signal of each end arrives while the message is handed over.
    const { result, gapsMs } = await deliver({ ...told, during: async (look, it) => look % 2 === 1 && tell(it) });
    expect(result).toEqual({ status: 'failed' });
    expectGaps(gapsMs, [30 * DAY_MS, 0, 12 * SECOND_MS, 0]);
  });

  test('looks by itself for an end of which no signal came, more and more rarely', async () => {
    const { result, gapsMs } = await deliver({ steps: Array.from({ length: 8 }, () => attempt) });
    expect(result).toEqual({ status: 'delivered' });
    expectGaps(
      gapsMs,
      [1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE_MS),
    );
  });

  test('ends at once when the message was cancelled', async () => {
    const { result, gapsMs, calls } = await deliver({
      steps: [wait(365 * DAY_MS), end('cancelled')],
      during: async (look, it) => look === 0 && tell(it),
    });
    expect(result).toEqual({ status: 'cancelled' });
    expectGaps(gapsMs, [0]);
    expect(calls).not.toContain('cancelDelivery');
  });

  test.each<[string, Told['steps'], MessageEnd[] | [null, null, MessageEnd], MessageEnd]>([
    ['while it waits, cancels the message', [wait(DAY_MS)], ['cancelled'], 'cancelled'],
    ['while an attempt is under way, cancels it once that failed', [attempt], [null, null, 'cancelled'], 'cancelled'],
    [
      'while an attempt is under way that delivers, ends as delivered',
      [attempt],
      [null, null, 'delivered'],
      'delivered',
    ],
  ])('a cancellation in Temporal %s', async (_what, steps, cancels, status) => {
    const answers = cancels.length;
    const { result, calls } = await deliver({ steps, cancels: [...cancels], during: (_look, it) => it.cancel() });
    expect(result).toEqual({ status });
    expect(calls).toEqual(['handOverMessage', ...Array.from({ length: answers }, () => 'cancelDelivery')]);
  });
});
