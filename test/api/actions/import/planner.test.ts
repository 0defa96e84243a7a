import { afterEach, describe, expect, it } from 'vitest';
import { ImportPlanner, type ImportPlannerOptions } from '../../../../api/threads/import-planner.ts';
import type { ServiceError } from '../../../../domain/errors.ts';
import { compiledModule } from '../../../harness/compiled-module.ts';
import { smallDocument } from './support.ts';

const PATIENCE_MS = 240_000;
const planners: ImportPlanner[] = [];
afterEach(() => {
  for (const planner of planners.splice(0)) planner.close();
});

function planner(options: ImportPlannerOptions = {}): ImportPlanner {
  const made = new ImportPlanner({
    threadFile: () => compiledModule('api/actions/import/import-thread.ts'),
    timeMsMax: PATIENCE_MS,
    waitMsMax: PATIENCE_MS,
    ...options,
  });
  planners.push(made);
  return made;
}

const bytesOf = (document: unknown): Uint8Array => Buffer.from(JSON.stringify({ document }));
const run = (made: ImportPlanner, document: unknown, workspaceId = 'wsp_a') =>
  made.run(workspaceId, { kind: 'request', bytes: bytesOf(document) });

/** The code and the issue of a refusal; fails if nothing is refused. */
async function refusalOf(promise: Promise<unknown>): Promise<[string, string]> {
  const error = (await promise.then(
    () => Promise.reject(new Error('it was planned')),
    (reason: unknown) => reason,
  )) as ServiceError;
  const issues = (error.details as { issues: { message: string }[] } | undefined)?.issues;
  return [error.code, issues?.[0]?.message ?? error.publicMessage];
}

/** A thread that does this instead of reading a document. */
const thread = (program: string) => (): URL => new URL(`data:text/javascript,${encodeURIComponent(program)}`);

describe('a thread', () => {
  it(
    'answers with texts that are ready for the database, and the digest of the body',
    async () => {
      const made = planner();
      const { read, digest } = await run(made, smallDocument('ready', 1));
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(read.planned).toMatchObject({ title: 'ready', entries: [{ kind: 'action', name: 'ready.get-0' }] });
    },
    PATIENCE_MS,
  );

  it(
    'is ended when its time is over, and the next import runs',
    async () => {
      const made = planner({ timeMsMax: 1_000, threadFile: thread('for (;;);') });
      const waits = refusalOf(run(made, smallDocument('next', 1)));
      expect(await refusalOf(run(made, smallDocument('first', 1)))).toEqual([
        'VALIDATION_ERROR',
        expect.stringContaining('takes too long') as string,
      ]);
      expect((await waits)[0]).toBe('VALIDATION_ERROR');
    },
    PATIENCE_MS,
  );

  it(
    'is ended when its heap is full, and the process lives',
    async () => {
      const program = 'const kept = []; for (;;) kept.push(Array.from({ length: 1_000 }, Math.random));';
      const made = planner({ heapMbMax: 40, threadFile: thread(program) });
      expect(await refusalOf(run(made, smallDocument('heavy', 1)))).toEqual([
        'VALIDATION_ERROR',
        expect.stringContaining('more memory') as string,
      ]);
    },
    PATIENCE_MS,
  );

  it(
    'that ends without an answer is our fault, and the next import runs',
    async () => {
      const answering =
        "import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ kind: 'document' })";
      const programs = ['process.exit(3)', 'throw new Error("ours")', answering];
      const made = planner({ threadFile: () => thread(programs.shift() ?? '')() });
      await expect(run(made, smallDocument('one', 1))).rejects.toThrow('ended with 3 and no answer');
      await expect(run(made, smallDocument('two', 1))).rejects.toThrow('ours');
      expect(await run(made, smallDocument('three', 1))).toEqual({ kind: 'document' });
    },
    PATIENCE_MS,
  );

  it(
    'passes on what the caller did wrong',
    async () => {
      expect(await refusalOf(run(planner(), { swagger: '2.0' }))).toEqual([
        'VALIDATION_ERROR',
        expect.stringContaining('Swagger') as string,
      ]);
    },
    PATIENCE_MS,
  );
});

describe('imports', () => {
  it(
    'wait for each other, as many as may; the others are told to come again',
    async () => {
      const made = planner({ waitingMax: 1 });
      const first = run(made, smallDocument('one', 1));
      const second = run(made, smallDocument('two', 1));
      expect(await refusalOf(run(made, smallDocument('three', 1)))).toEqual([
        'SERVICE_UNAVAILABLE',
        expect.stringContaining('Other imports') as string,
      ]);
      expect((await first).read.planned?.title).toBe('one');
      expect((await second).read.planned?.title).toBe('two');
    },
    PATIENCE_MS,
  );

  it('queue behind their own workspace, and another workspace has its turn first', async () => {
    const made = planner({ waitingAWorkspaceMax: 2 });
    const ended: string[] = [];
    const run1 = (title: string, workspaceId: string) =>
      run(made, smallDocument(title, 1), workspaceId).then(() => ended.push(title));
    const all = [run1('a1', 'wsp_a'), run1('a2', 'wsp_a'), run1('a3', 'wsp_a'), run1('b1', 'wsp_b')];
    expect((await refusalOf(run(made, smallDocument('a4', 1))))[0]).toBe('SERVICE_UNAVAILABLE');
    await Promise.all(all);
    expect(ended).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it(
    'do not wait for ever',
    async () => {
      const made = planner({ waitMsMax: 1 });
      const first = run(made, smallDocument('one', 1));
      expect((await refusalOf(run(made, smallDocument('two', 1))))[0]).toBe('SERVICE_UNAVAILABLE');
      expect((await first).read.planned?.title).toBe('one');
      expect((await run(made, smallDocument('three', 1))).read.planned?.title).toBe('three');
    },
    PATIENCE_MS,
  );

  it(
    'end with the service',
    async () => {
      const made = planner();
      const under = [refusalOf(run(made, smallDocument('one', 1))), refusalOf(run(made, smallDocument('two', 1)))];
      made.close();
      expect((await Promise.all(under)).map(([code]) => code)).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
      expect((await refusalOf(run(made, smallDocument('three', 1))))[0]).toBe('SERVICE_UNAVAILABLE');
    },
    PATIENCE_MS,
  );
});
