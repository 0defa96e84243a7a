import { expect, test } from 'vitest';
import { freePorts } from '../../embedded/ports.ts';

/** Stacks that start at once draw their ports some seconds before they listen on them. */
test('no port is drawn twice, though nobody listens on it yet', async () => {
  const drawn: number[] = [];
  // By chance alone, 400 of some 12,800 would be different once in 500 runs.
  for (let stack = 0; stack < 100; stack++) drawn.push(...(await freePorts(4)));
  expect(new Set(drawn).size).toBe(drawn.length);
});
