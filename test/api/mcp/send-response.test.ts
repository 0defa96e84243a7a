import Koa from 'koa';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { ReadableStreamDefaultController, UnderlyingSource } from 'node:stream/web';
import { afterEach, describe, expect, it } from 'vitest';
import { RequestAbortedError } from '../../../api/http/client-gone.ts';
import type { RequestState } from '../../../api/http/context.ts';
import { sendResponse } from '../../../api/mcp/send-response.ts';

const LIMIT_MS = 300;
/** More than the buffers at both ends of a loopback connection can hold. */
const LARGE_BYTES = 64_000_000;
/** So much that a write of it waits for its `drain`, and little enough for those buffers. */
const WAITED_FOR_BYTES = 100_000;

describe('a stream of events', () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** A server that answers each request with this stream of events. */
  const serve = async (source: UnderlyingSource<Uint8Array>): Promise<{ port: number; failures: unknown[] }> => {
    const failures: unknown[] = [];
    const app = new Koa<RequestState>();
    app.on('error', (error) => failures.push(error));
    app.use((ctx) => {
      const headers = { 'Content-Type': 'text/event-stream' };
      return sendResponse(ctx, new Response(new ReadableStream(source), { headers }), LIMIT_MS);
    });
    const answer = app.callback();
    const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    closers.push(() => server.close().closeAllConnections());
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, failures };
  };

  /** Resolves once a client that reads nothing was cut off: the limit, and more, has passed. */
  const cutDeafClient = async (): Promise<unknown[]> => {
    let isCancelled = false;
    const { port, failures } = await serve({
      start: (stream) => stream.enqueue(new Uint8Array(LARGE_BYTES)),
      cancel: () => void (isCancelled = true),
    });
    const deaf = connect(port, '127.0.0.1');
    closers.push(() => deaf.destroy());
    deaf.on('error', () => undefined); // it is reset
    deaf.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => isCancelled).toBe(true);
    await expect.poll(() => failures).toHaveLength(1);
    return failures;
  };

  it('is cut off, and its body cancelled, where the client does not read an event', async () => {
    expect(await cutDeafClient()).toEqual([expect.any(RequestAbortedError)]);
  });

  it('may be quiet for longer than that', async () => {
    let events: ReadableStreamDefaultController<Uint8Array> | undefined;
    const { port, failures } = await serve({ start: (stream) => void (events = stream) });
    const reply = await fetch(`http://127.0.0.1:${port}`);
    const reader = reply.body?.getReader();
    const read = async (bytes: number): Promise<number> => {
      let received = 0;
      while (received < bytes) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) break;
        received += value?.length ?? 0;
      }
      return received;
    };
    events?.enqueue(new Uint8Array(WAITED_FOR_BYTES));
    expect(await read(WAITED_FOR_BYTES)).toBe(WAITED_FOR_BYTES);
    await cutDeafClient();
    events?.enqueue(new Uint8Array(1));
    events?.close();
    expect(await read(2)).toBe(1);
    expect(failures).toEqual([]);
  });

  it('ends with its client, and cancels its body', async () => {
    let isCancelled = false;
    const { port, failures } = await serve({ cancel: () => void (isCancelled = true) });
    const leaving = new AbortController();
    await fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal });
    leaving.abort();
    await expect.poll(() => isCancelled).toBe(true);
    await expect.poll(() => failures).toEqual([expect.any(RequestAbortedError)]);
  });
});
