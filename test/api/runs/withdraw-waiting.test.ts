import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { KnownStarts } from '../../../api/invocations/start-known-invocation.ts';
import { withdrawWaiting } from '../../../api/runs/withdraw-waiting.ts';

function withdrawing(cancel: () => Promise<void>) {
  const deadlines: number[] = [];
  const temporal = {
    withDeadline: (deadline: number, call: () => Promise<void>) => {
      deadlines.push(deadline - Date.now());
      return call();
    },
    workflow: { getHandle: () => ({ cancel }) },
  } as unknown as Client;
  const db = { oneStatement: () => Promise.resolve(null) } as unknown as KnownStarts['db']; // none is started
  const ids = { workspaceId: 'w', environmentId: 'e' };
  const waiting = Array.from({ length: 25 }, (_, index) => ({ ...ids, invocationId: `inv_${index}` }));
  return { deadlines, done: withdrawWaiting({ temporal, db, taskQueue: 'q' }, waiting) };
}

test('invocations are cancelled ten at a time, each with a deadline', async () => {
  let [underWay, most] = [0, 0];
  const { deadlines, done } = withdrawing(async () => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
  });
  await done;
  expect([most, deadlines.length]).toEqual([10, 25]);
  for (const leftMs of deadlines) expect(leftMs).toBeLessThanOrEqual(5_000);
});

test('where Temporal is away, the rest is left to the sweep', async () => {
  const { deadlines, done } = withdrawing(() => Promise.reject(new Error('away')));
  await expect(done).rejects.toThrow('away');
  expect(deadlines).toHaveLength(10);
});
