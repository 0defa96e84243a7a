import { expect, test } from 'vitest';
import type { InSteps } from '../../domain/in-steps.ts';
import { Turns } from '../../domain/turns.ts';

/** Rounds of an event loop that advance on the test's command. */
function rounds(): { turns: Turns; round: () => Promise<number> } {
  const coming: (() => void)[] = [];
  const turns = new Turns((run) => void coming.push(run));
  return {
    turns,
    /** Runs one round with everything that it releases. Returns the number of callbacks. */
    round: async () => {
      const now = coming.splice(0);
      for (const run of now) run();
      for (let index = 0; index < 10; index++) await Promise.resolve();
      return now.length;
    },
  };
}

test('there is one turn in each round, and they go round the owners', async () => {
  const { turns, round } = rounds();
  const order: string[] = [];
  const take = (owner: string): void => void turns.take(owner).then(() => order.push(owner));
  for (let index = 0; index < 4; index++) take('busy');
  take('other');
  take('third');
  for (let index = 0; index < 3; index++) expect([await round(), order.length]).toEqual([1, index + 1]);
  expect(order).toEqual(['busy', 'other', 'third']);
  take('other');
  while ((await round()) > 0);
  expect(order).toEqual(['busy', 'other', 'third', 'busy', 'other', 'busy', 'busy']);
});

test('work in steps is given up after a turn, so that another’s comes in between', async () => {
  const { turns, round } = rounds();
  const order: string[] = [];
  function* work(owner: string, steps: number): InSteps<string> {
    for (let step = 0; step < steps; step++) {
      order.push(owner);
      const until = performance.now() + 6; // longer than a turn
      while (performance.now() < until);
      yield;
    }
    return `${owner} is done`;
  }
  const both = Promise.all([turns.run('long', work('long', 4)), turns.run('short', work('short', 1))]);
  while ((await round()) > 0);
  expect(await both).toEqual(['long is done', 'short is done']);
  expect(order).toEqual(['long', 'short', 'long', 'long', 'long']);
});

test('steps that take no time share a turn; a failure is the failure of the work, and of nothing else', async () => {
  const { turns, round } = rounds();
  function* failing(): InSteps<never> {
    for (let step = 0; step < 3; step++) yield;
    throw new Error('step 3');
  }
  const failed = turns.run('a', failing()).catch((error: unknown) => error);
  expect(await round()).toBe(1);
  expect(await failed).toEqual(new Error('step 3'));
  expect(await round()).toBe(0);
  let isTaken = false;
  void turns.take('a').then(() => (isTaken = true));
  await round();
  expect(isTaken).toBe(true);
});
