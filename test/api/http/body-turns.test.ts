import { expect, test } from 'vitest';
import { BodyTurns, LARGE_BODY_BYTES } from '../../../api/http/bodies.ts';

/** Rounds of an event loop that the test turns. */
function rounds(): { later: (run: () => void) => void; turn(): Promise<void> } {
  const waiting: (() => void)[] = [];
  return {
    later: (run) => void waiting.push(run),
    turn: async () => {
      for (const run of waiting.splice(0)) run();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('large bodies that arrive at once are worked on in a round each, and workspaces take turns', async () => {
  const { later, turn } = rounds();
  const turns = new BodyTurns(later);
  const worked: string[] = [];
  const work = async (owner: string, body: string): Promise<void> => {
    await turns.take(owner, LARGE_BODY_BYTES);
    worked.push(body);
  };
  const all = Promise.all([work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1')]);
  const seen: string[][] = [];
  for (let round = 0; round < 4; round++) {
    await turn();
    seen.push([...worked]);
  }
  await all;
  expect(seen).toEqual([['a1'], ['a1', 'b1'], ['a1', 'b1', 'a2'], ['a1', 'b1', 'a2', 'a3']]);
});

test('a small body waits for no round', async () => {
  const turns = new BodyTurns(() => undefined); // no round ever comes
  await expect(turns.take('a', LARGE_BODY_BYTES - 1)).resolves.toBeUndefined();
});
