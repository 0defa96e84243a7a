import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startBalancer } from '../../bench/scale/balancer.ts';
import { createAction, invoke } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { startTarget } from '../harness/target.ts';
import { untilSeen } from './seen.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/** Two API and two worker processes behind a plain TCP balancer are replaced one by one under steady calls, as an upgrade does it. */

const INTERVAL_MS = 250;
/** Calls that the target holds while the process that took them ends. */
const HELD = 3;

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const apis = await Promise.all([processes.startApi(), processes.startApi()]);
const workers = await Promise.all([processes.startWorker(), processes.startWorker()]);
const portOf = ({ baseUrl }: ApiProcess): number => Number(new URL(baseUrl).port);
const ports = apis.map(portOf);
const balancer = await startBalancer(ports);
closesWithFile(() => balancer.close());

/** Each call has a connection of its own, and so the next process. */
class Calls {
  readonly statuses: Record<string, number> = {};
  private readonly sent: Promise<void>[] = [];
  private readonly running: Promise<void>;
  private isOver = false;

  constructor(action: string, key: string) {
    this.running = this.run(`http://127.0.0.1:${balancer.port}/api/v2/actions/${action}/invoke`, key);
  }

  get count(): number {
    return this.sent.length;
  }

  private async run(url: string, key: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' };
    const request = { method: 'POST', headers, body: '{"input":{}}' };
    const send = async (): Promise<void> => {
      const status = await fetch(url, request).then(
        async (reply) => (await reply.text(), String(reply.status)),
        (error: unknown) => `no reply: ${String(error)}`,
      );
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    };
    for (; !this.isOver; await delay(INTERVAL_MS)) this.sent.push(send());
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
    await Promise.all(this.sent);
  }
}

/** Calls that are under way at the target when this returns. They answer when the target is released. */
async function hold(api: ApiProcess, name: string): Promise<Promise<number>[]> {
  const urls = Array.from({ length: HELD }, (_, n) => `/hang?${name}-${n}`);
  const actions = await Promise.all(urls.map((url) => createAction(api, { url: `${target.baseUrl}${url}` })));
  const calls = actions.map(async (action) => (await invoke(api, action)).status);
  await untilSeen(target, urls);
  return calls;
}

const hasEnded = (baseUrl: string): Promise<boolean> =>
  fetch(baseUrl).then(
    () => false,
    () => true,
  );

test(
  'no caller gets an error, nothing is sent twice and nothing becomes unknown',
  async () => {
    const plain = await createAction(apis[0], { url: `${target.baseUrl}/ok?steady` });
    const calls = new Calls(plain, apis[0].key);
    for (const [at, old] of apis.entries()) {
      const next = await processes.startApi();
      ports[at] = portOf(next);
      const held = await hold(old, `api-${at}`);
      const ended = old.program.end('SIGTERM');
      await expect.poll(() => hasEnded(old.baseUrl)).toBe(true);
      await target.release();
      expect(await Promise.all(held)).toEqual(Array(HELD).fill(200));
      expect(await ended).toBe(0);
      apis[at] = next;
    }
    for (const [at, old] of workers.entries()) {
      await processes.startWorker();
      const held = await hold(apis[0], `worker-${at}`);
      const ended = old.end('SIGTERM');
      await old.printed('stopping');
      await target.release();
      for (const status of await Promise.all(held)) expect([200, 202]).toContain(status);
      expect(await ended).toBe(0);
    }
    await calls.end();
    expect(Object.keys(calls.statuses).filter((status) => !['200', '202'].includes(status))).toEqual([]);
    const standing = () => processes.database.asOwner('SELECT status, count(*)::int FROM invocations GROUP BY status');
    const all = calls.count + 4 * HELD;
    await expect.poll(standing).toEqual([{ status: 'succeeded', count: all }]);
    const sent = (await target.requests()).filter(({ method }) => method === 'POST');
    expect(sent).toHaveLength(all);
  },
  2 * PATIENCE_MS,
);
