import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TokenCounter } from '../../../api/context/token-counter.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

let made: TokenCounter | null = null;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'token-counter-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await made?.close();
  made = null;
});

function counter(program: string): TokenCounter {
  const file = path.join(folder, `${randomUUID()}.mjs`);
  writeFileSync(file, `export default function work() { ${program} }`);
  return (made = new TokenCounter({ threadFile: () => pathToFileURL(file), deadlineMs: PATIENCE_MS }));
}

test(
  'a thread that ends by its memory is a 503, and the next job runs',
  async () => {
    const program = 'const kept = []; for (;;) kept.push(Array.from({ length: 1_000 }, Math.random));';
    await expect(counter(program).count('one', ['text'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('memory') as string,
    });
  },
  PATIENCE_MS,
);

test('what is to be assembled is read when it is the turn of its workspace, and not before', async () => {
  const tokens = counter("return { kind: 'assemble', context: null };");
  let begin = (): void => undefined;
  const began = new Promise<void>((resolve) => (begin = resolve));
  let go = (): void => undefined;
  const held = new Promise<never>((_, reject) => (go = () => reject(new Error('read no more'))));
  const first = tokens.assemble('one', () => {
    begin();
    return held;
  });
  await began;
  let isRead = false;
  const second = tokens.assemble('two', () => {
    isRead = true;
    return Promise.reject(new Error('read'));
  });
  await new Promise(setImmediate);
  expect(isRead).toBe(false);
  go();
  await expect(first).rejects.toThrow('read no more');
  await expect(second).rejects.toThrow('read');
  expect(isRead).toBe(true);
});
