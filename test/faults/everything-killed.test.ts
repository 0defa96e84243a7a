import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEVER_TAKEN_UP } from '../../domain/settlement.ts';
import type { Credentials } from '../../embedded/credentials.ts';
import { processesNaming } from '../../embedded/our-processes.ts';
import { call, type CallResult } from '../api/harness/test-api.ts';
import {
  type Caller,
  createAction,
  effectOf,
  type Invocation,
  invocationIn,
  invocationsIn,
  invoke,
} from '../api/invocations/support.ts';
import { freePorts, type Program, readCredentials, startStackProcess } from '../harness/embedded-stack.ts';
import { startTarget, type Target } from '../harness/target.ts';
import { sentTo, untilSeen } from './seen.ts';

/** A dispatch whose worker died must be `unknown` within this time of the new `npm start`. */
const UNKNOWN_WITHIN_MS = 60_000;
const HANGING = '/hang?everything';
const SECRET = 'the-secret-of-before';

let parent: string;
let dataDir: string;
let ports: Awaited<ReturnType<typeof freePorts>>;
let program: Program;
let target: Target;
let credentials: Credentials;

beforeAll(async () => {
  parent = mkdtempSync(path.join(realpathSync(tmpdir()), 'everything-'));
  dataDir = path.join(parent, 'data');
  ports = await freePorts();
  [target, program] = await Promise.all([startTarget(), startStackProcess(dataDir, ports)]);
  credentials = readCredentials(dataDir);
});

afterAll(async () => {
  await program.end('SIGTERM');
  rmSync(parent, { recursive: true, force: true });
});

function withKeyOf(environment: string): Caller {
  const key = credentials.keys.find((one) => one.environment === environment && one.name === 'full_access')?.key ?? '';
  return {
    post: (url, body, headers = {}): Promise<CallResult> =>
      call(`${credentials.baseUrl}${url}`, 'POST', { key, body, headers }),
    get: (url): Promise<CallResult> => call(`${credentials.baseUrl}${url}`, 'GET', { key }),
  };
}

/** Kills the process that npm runs, PostgreSQL, Temporal and the demo's target, all at once. */
async function killEverything(): Promise<void> {
  const servers = ['postgres/cluster', 'temporal/temporal.db', 'demo-target.jsonl'].map((file) =>
    processesNaming(path.join(dataDir, file)),
  );
  expect(servers.map((pids) => pids.length)).toEqual([1, 1, 1]);
  for (const pid of [program.process.pid ?? 0, ...servers.flat()]) process.kill(pid, 'SIGKILL');
  expect(await program.exited).toBeNull();
}

/** Makes one invocation after another until the service is gone. The answered ones are promises; the last one was cut off. */
async function invokeUntilKilled(api: Caller, action: string): Promise<(Invocation | null)[]> {
  const answered: Invocation[] = [];
  for (;;) {
    const n = answered.length;
    try {
      const { invocation } = await invoke(api, action, { input: { n } }, { 'Idempotency-Key': `stream-${n}` });
      answered.push(invocation);
    } catch {
      return [...answered, null]; // no reply: the caller knows nothing about it
    }
  }
}

describe('SIGKILL of everything, and a new npm start', () => {
  test('nothing is lost, nothing is sent twice, and what was under way is unknown in time', async () => {
    const api = withKeyOf('development');
    const { key = '' } = credentials.keys.find((one) => one.environment === 'development') ?? {};
    const put = await call(`${credentials.baseUrl}/api/v2/secrets/TOKEN`, 'PUT', { key, body: { value: SECRET } });
    expect(put.status).toBe(201);
    const headers = { authorization: 'Bearer {{secret:TOKEN}}' };
    const withSecret = await createAction(api, { url: `${target.baseUrl}/ok?secret={{input.n}}`, headers });
    const hanging = await createAction(api, { url: `${target.baseUrl}${HANGING}` }, { timeoutMs: 200_000 });
    const streamed = await createAction(api, { url: `${target.baseUrl}/orders?stream={{input.n}}` });
    const earlier = await invoke(api, withSecret, { input: { n: 1 } });
    expect(earlier.invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });

    const cutOff = Promise.allSettled([invoke(api, hanging, { input: {} }, { 'Idempotency-Key': 'held' })]);
    const stream = invokeUntilKilled(api, streamed);
    await untilSeen(target, [HANGING, '/orders?stream=10']);
    const [held] = invocationsIn(await api.get(`/api/v2/actions/${hanging}/invocations?status=dispatching`));
    if (held === undefined) throw new Error('one is held by its target');
    await killEverything();
    expect(await cutOff).toMatchObject([{ status: 'rejected' }]);
    const promised = await stream;

    const restartedAtMs = Date.now();
    program = await startStackProcess(dataDir, ports);
    expect(readCredentials(dataDir)).toEqual(credentials);

    // The held call: a repetition of the same request waits for its end.
    const again = await invoke(api, hanging, { input: {} }, { 'Idempotency-Key': 'held' });
    expect(Date.now() - restartedAtMs).toBeLessThan(UNKNOWN_WITHIN_MS);
    expect(again.invocation).toMatchObject({ id: held.id, status: 'unknown', grade: 'unknown' });
    expect(await effectOf(api, again.invocation)).toMatchObject({ stage: 'reconciling', outcome: 'unknown' });
    expect(await sentTo(target, HANGING)).toBe(1);

    // Every promise is kept. An invocation that was cut off before its promise has one effect or none, and a grade.
    const kept: Invocation[] = [];
    for (const n of promised.keys()) {
      const reply = await invoke(api, streamed, { input: { n } }, { 'Idempotency-Key': `stream-${n}` });
      expect(await sentTo(target, `/orders?stream=${n}`)).toBeLessThanOrEqual(1);
      kept.push(reply.invocation);
    }
    expect(kept.slice(0, -1)).toEqual(promised.slice(0, -1));
    // One killed between the mark and the claim was provably never sent, so it is `failed`. One that reached the target never is.
    const lastSent = await sentTo(target, `/orders?stream=${promised.length - 1}`);
    expect(kept.at(-1)?.grade).toMatch(lastSent === 0 ? /^(failed|unknown)$/ : /^(acknowledged|unknown)$/);
    expect(kept.at(-1)?.error === NEVER_TAKEN_UP).toBe(kept.at(-1)?.grade === 'failed');
    const read = invocationIn(await api.get(`/api/v2/actions/invocations/${earlier.invocation.id}`));
    expect(read).toEqual(earlier.invocation);

    // Actions, keys and the secret still work, and the other environments still see none of it.
    const later = await invoke(api, withSecret, { input: { n: 2 } });
    expect(later.invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    const authorizations = (await target.requests('/ok')).map((request) => request.headers['authorization']);
    expect(authorizations).toEqual([`Bearer ${SECRET}`, `Bearer ${SECRET}`]);
    expect(invocationsIn(await withKeyOf('production').get('/api/v2/actions/invocations'))).toEqual([]);
  });
});
