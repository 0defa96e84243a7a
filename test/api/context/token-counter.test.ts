import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { SMALL_JOB_BYTES_MAX, TokenCounter } from '../../../api/threads/token-counter.ts';
import type { ContextRequest } from '../../../domain/context/assemble.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

let made: TokenCounter | null = null;
const folder = await mkdtemp(path.join(tmpdir(), 'token-counter-test-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await made?.close();
  made = null;
});

/** `isSmall` tells the program in whose lane it runs. */
function counter(program: string, smallDeadlineMs = PATIENCE_MS): TokenCounter {
  const threadFile = (lane: 'small' | 'large'): URL => {
    const file = path.join(folder, `${randomUUID()}.mjs`);
    const imports = `import { existsSync, writeFileSync } from 'node:fs';`;
    writeFileSync(
      file,
      `${imports} const isSmall = ${lane === 'small'}; export default function work(job) { ${program} }`,
    );
    return pathToFileURL(file);
  };
  return (made = new TokenCounter({ threadFile, deadlineMs: PATIENCE_MS, smallDeadlineMs }));
}

test(
  'a thread that ends by its memory is a 503, and the next job runs',
  async () => {
    const program = `
      if (job.texts[0] === 'text') return { kind: 'count', counts: [7] };
      const kept = []; for (;;) kept.push(Array.from({ length: 1_000 }, Math.random));`;
    const tokens = counter(program);
    await expect(tokens.count('one', ['flood'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('memory') as string,
    });
    expect(await tokens.count('one', ['text'])).toEqual([7]);
  },
  PATIENCE_MS,
);

test('a thread that does not load fails its job, and not the process', async () => {
  const threadFile = (): URL => pathToFileURL(path.join(folder, 'nowhere.mjs'));
  made = new TokenCounter({ threadFile, deadlineMs: 500, smallDeadlineMs: 500 });
  await expect(made.count('one', ['text'])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

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

test(
  'a small job is answered while a large one counts, and a context shows its size when it is read',
  async () => {
    const [began, go] = [path.join(folder, `began-${randomUUID()}`), path.join(folder, `go-${randomUUID()}`)];
    const tokens = counter(`
      const isLarge = job.kind === 'count' ? job.texts[0].length > 1 : job.request.messageCount > 1;
      if (isLarge) {
        writeFileSync(${JSON.stringify(began)}, job.kind);
        while (!existsSync(${JSON.stringify(go)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
      return job.kind === 'count' ? { kind: 'count', counts: [job.texts[0].length] } : { kind: 'assemble', context: job.request.messageCount };`);
    const requestOf = (messageCount: number) => ({ messageCount }) as ContextRequest;
    const asked: number[] = [];
    const large = tokens.assemble('one', (bytesMax) => {
      asked.push(bytesMax);
      return Promise.resolve(bytesMax === Infinity ? requestOf(2) : null);
    });
    await expect.poll(() => existsSync(began), { timeout: PATIENCE_MS }).toBe(true);
    const later = tokens.count('one', ['x'.repeat(SMALL_JOB_BYTES_MAX + 1)]);
    // Its characters are fewer than the bytes that a small job has at most.
    const wide = tokens.count('one', ['€'.repeat(SMALL_JOB_BYTES_MAX / 2)]);
    // Both stand behind those of their own workspace.
    expect(await tokens.count('one', ['x'])).toEqual([1]);
    expect(await tokens.assemble('one', () => Promise.resolve(requestOf(1)))).toBe(1);
    expect(existsSync(go)).toBe(false);
    writeFileSync(go, '');
    expect(await large).toBe(2);
    expect(await later).toEqual([SMALL_JOB_BYTES_MAX + 1]);
    expect(await wide).toEqual([SMALL_JOB_BYTES_MAX / 2]);
    expect(asked).toEqual([SMALL_JOB_BYTES_MAX, Infinity]);
  },
  PATIENCE_MS,
);

test(
  'a small job that takes too long ends in the lane of large jobs, and the small ones go on',
  async () => {
    const tokens = counter(
      `
      const isSlow = job.kind === 'assemble' || job.texts[0] === 'slow';
      if (isSmall && isSlow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return job.kind === 'count' ? { kind: 'count', counts: [7] } : { kind: 'assemble', context: job.request.messageCount };`,
      500,
    );
    const slow = tokens.count('one', ['slow']);
    const next = tokens.count('two', ['quick']);
    expect(await slow).toEqual([7]);
    expect(await next).toEqual([7]);
    const asked: number[] = [];
    const context = await tokens.assemble('one', (bytesMax) => {
      asked.push(bytesMax);
      return Promise.resolve({ messageCount: 3 } as ContextRequest);
    });
    expect([context, asked]).toEqual([3, [SMALL_JOB_BYTES_MAX, Infinity]]);
  },
  PATIENCE_MS,
);
