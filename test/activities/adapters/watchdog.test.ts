import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { dial } from '../../../activities/adapters/http-request/dial.ts';
import { systemResolve } from '../../../activities/adapters/http-request/resolve.ts';
import { OverdueError, Watchdog, watchSocket, type Watched } from '../../../activities/adapters/watchdog.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import { OPEN_FENCE } from '../../harness/watchdog.ts';

const ids = { invocationId: 'inv_1' };
const DISPATCH: Watched = { kind: 'dispatch', workspaceId: 'workspace', ids, timeoutMs: 20, fence: OPEN_FENCE };
const ALLOWED = { egressAllow: parseEgressAllow(LOOPBACK_EGRESS), resolve: systemResolve };

const connections: Socket[] = [];
const server = createServer((socket) => void connections.push(socket.on('error', () => undefined).resume()));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  server.close();
  for (const socket of connections) socket.destroy();
});

const watchdogs: Watchdog[] = [];
afterEach(() => {
  for (const watchdog of watchdogs.splice(0)) watchdog.close();
});

function watchdogThat(options: { graceMs: number }): { watchdog: Watchdog; logged: unknown[][] } {
  const logged: unknown[][] = [];
  const logger = { error: (...line: unknown[]) => void logged.push(line) } as unknown as { error(): void };
  const watchdog = new Watchdog({ logger, intervalMs: 5, ...options });
  watchdogs.push(watchdog);
  return { watchdog, logged };
}

const url = (): URL => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
const forEver = (): Promise<never> => new Promise(() => undefined);

describe('the watchdog', () => {
  it('ends a call that ignores its deadline: its socket, its signal and its slot; log and metric say so', async () => {
    const { watchdog, logged } = watchdogThat({ graceMs: 60_000 });
    let seen: { socket: Socket; signal: AbortSignal } | undefined;
    const call = watchdog.run(DISPATCH, async (signal) => {
      // Dialled under a signal that nothing aborts: the deadline of this call is lost.
      const dialled = await dial(url(), { ...ALLOWED, signal: new AbortController().signal });
      if (dialled.kind !== 'connected') throw new Error(dialled.kind);
      seen = { socket: dialled.socket, signal };
      // Both times pass now, however long the call took to get here.
      const nowMs = performance.now();
      vi.spyOn(performance, 'now').mockReturnValue(nowMs + DISPATCH.timeoutMs + 60_000);
      onTestFinished(() => void vi.restoreAllMocks());
      return forEver();
    });
    await expect(call).rejects.toThrow(OverdueError);
    expect(seen?.socket.destroyed).toBe(true);
    expect(seen?.signal.reason).toBeInstanceOf(OverdueError);
    expect(logged).toEqual([
      [
        expect.objectContaining({ kind: 'dispatch', invocationId: 'inv_1', timeoutMs: 20, sockets: 1 }),
        'a call outlived its deadline: the watchdog ended it',
      ],
    ]);
    expect(watchdog.figures()).toContainEqual({ kind: 'dispatch', inFlight: 0, ended: 1 });
  });

  it('lets a call open no further socket once it was ended', async () => {
    const { watchdog } = watchdogThat({ graceMs: 0 });
    let further: Promise<unknown> = forEver();
    const call = watchdog.run({ ...DISPATCH, timeoutMs: 0 }, (signal) => {
      further = once(signal, 'abort').then(() => dial(url(), { ...ALLOWED, signal: new AbortController().signal }));
      return forEver();
    });
    await expect(call).rejects.toThrow(OverdueError);
    expect(await further).toMatchObject({ kind: 'failed', reason: expect.stringContaining('outlived') as string });
  });

  it('leaves a call within its deadline and grace alone', async () => {
    const { watchdog, logged } = watchdogThat({ graceMs: 60_000 });
    expect(watchdog.figures()).toContainEqual({ kind: 'dispatch', inFlight: 0, ended: 0 });
    const { promise, resolve } = deferred<string>();
    const call = watchdog.run(DISPATCH, () => promise);
    expect(watchdog.figures()).toContainEqual({ kind: 'dispatch', inFlight: 1, ended: 0 });
    await new Promise((done) => void setTimeout(done, 60));
    resolve('answered');
    expect(await call).toBe('answered');
    expect(logged).toEqual([]);
  });

  it('passes on an error of the call', async () => {
    const { watchdog } = watchdogThat({ graceMs: 60_000 });
    await expect(watchdog.run(DISPATCH, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('watches no socket outside of a call', () => {
    expect(() => watchSocket({} as Socket)).not.toThrow();
  });
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
