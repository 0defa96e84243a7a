import { expect, test } from 'vitest';
import { PacedStarts } from '../../../api/starts/paced-starts.ts';

const ours = { workspaceId: 'ws_ours', environmentId: 'env_ours' };
const neighbour = { workspaceId: 'ws_neighbour', environmentId: 'env_neighbour' };

/** Calls that end when the test says so. */
function held(): { calls: string[][]; call: (ids: string[]) => Promise<void>; end: (failure?: Error) => void } {
  const calls: string[][] = [];
  const ends: ((failure?: Error) => void)[] = [];
  return {
    calls,
    call: (ids) => {
      calls.push(ids);
      return new Promise((resolve, reject) =>
        ends.push((failure) => (failure === undefined ? resolve() : reject(failure))),
      );
    },
    end: (failure) => ends.shift()?.(failure),
  };
}

test('a workspace is busy while as many of its starts are under way as may be, however they end', async () => {
  const starts = new PacedStarts({ underWayMax: 2 });
  const { call, end } = held();
  const under = [1, 2].map(() => starts.start(ours.workspaceId, () => call([])));
  expect([starts.isBusy(ours.workspaceId), starts.isBusy(neighbour.workspaceId)]).toEqual([true, false]);
  end(new Error('Temporal is away'));
  await expect(under[0]).rejects.toThrow('Temporal is away');
  expect(starts.isBusy(ours.workspaceId)).toBe(false);
  end();
  await under[1];
});

test('what comes while an environment hands over is the next call’s, and a neighbour has its own', async () => {
  const starts = new PacedStarts();
  const { calls, call, end } = held();
  const handed = [starts.handOver('messages', ours, ['m1'], call)];
  await expect.poll(() => calls).toEqual([['m1']]);
  handed.push(...['m2', 'm3', 'm4'].map((id) => starts.handOver('messages', ours, [id], call)));
  handed.push(starts.handOver('messages', neighbour, ['n1'], call));
  await expect.poll(() => calls).toEqual([['m1'], ['n1']]);
  end();
  await handed[0];
  await expect.poll(() => calls).toEqual([['m1'], ['n1'], ['m2', 'm3', 'm4']]);
  end();
  end();
  await Promise.all(handed);
});

test('a call that fails fails for those that it carried, and the next one is made', async () => {
  const starts = new PacedStarts();
  const { calls, call, end } = held();
  const first = starts.handOver('messages', ours, ['m1'], call);
  await expect.poll(() => calls).toEqual([['m1']]);
  const second = starts.handOver('messages', ours, ['m2'], call);
  end(new Error('Temporal is away'));
  await expect(first).rejects.toThrow('Temporal is away');
  await expect.poll(() => calls).toEqual([['m1'], ['m2']]);
  end();
  await second;
});

test('a call takes as many messages as a batch may have, and a full one waits for no other', async () => {
  const starts = new PacedStarts();
  const { calls, call, end } = held();
  const handed = [starts.handOver('messages', ours, ['m1'], call)];
  await expect.poll(() => calls.length).toBe(1);
  const many = Array.from({ length: 600 }, (_, n) => `m${n}`);
  handed.push(starts.handOver('messages', ours, many, call), starts.handOver('messages', ours, many, call));
  await expect.poll(() => calls.map(({ length }) => length)).toEqual([1, 600]);
  end();
  end();
  await expect.poll(() => calls.map(({ length }) => length)).toEqual([1, 600, 600]);
  end();
  await Promise.all(handed);
});

test('messages and flow-control keys are handed over apart', async () => {
  const starts = new PacedStarts();
  const { calls, call, end } = held();
  const handed = [starts.handOver('messages', ours, ['m1'], call), starts.handOver('keys', ours, ['k1'], call)];
  await expect.poll(() => calls).toEqual([['m1'], ['k1']]);
  end();
  end();
  await Promise.all(handed);
});
