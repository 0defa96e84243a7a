import { type ClientRequest, IncomingMessage, request as httpRequest } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { RequestAbortedError } from '../../../api/http/client-gone.ts';
import { BODY_BYTES_MAX, readJsonBytes } from '../../../api/http/bodies.ts';
import { startTestService } from '../../harness/service.ts';

/** No worker runs: an invocation stays queued, and its caller waits. */
const service = await startTestService({ worker: false });
const adapter = { type: 'http.request', config: { method: 'POST', url: 'http://127.0.0.1:9/' } };
await service.post('/api/v2/actions', { name: 'slow', adapter });

describe('a caller that leaves', () => {
  beforeEach(() => {
    service.logLines.length = 0;
  });

  const send = (method: string, path: string, headers: Record<string, string> = {}): ClientRequest => {
    const sent = httpRequest(`${service.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers },
    });
    sent.on('error', () => undefined); // the test itself aborts it
    return sent;
  };
  const waiting = () => service.deps.settlements.waiting;
  const logged = (): { level: number; msg: string; status?: number }[] =>
    service.logLines.map((line) => JSON.parse(line) as ReturnType<typeof logged>[number]);
  /** The access log's lines about the requests, and everything that was logged above the level info. */
  const outcome = () =>
    logged()
      .filter(({ msg, level }) => msg === 'request' || level > 30)
      .map(({ msg, status }) => status ?? msg);

  it('in the middle of its body is no failure of ours', async () => {
    const upload = send('PUT', '/api/v2/secrets/half', { 'content-length': '1000', expect: '100-continue' });
    const isRead = new Promise((resolve) => upload.once('continue', resolve)); // the server has its headers
    upload.flushHeaders();
    await isRead;
    upload.write('{"value":');
    upload.destroy();
    await expect.poll(outcome).toEqual([499]);
  });

  it('before its body is looked at is noticed all the same', async () => {
    const request = new IncomingMessage(new Socket());
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.destroy();
    await closed; // no event will follow
    await expect(readJsonBytes(request, BODY_BYTES_MAX)).rejects.toThrow(RequestAbortedError);
  });

  it('while it waits for an approval is waited for no longer', async () => {
    const opened = await service.post('/api/v2/approvals', { title: 'Deploy', summary: 'Deploy it', payload: {} });
    const { id } = (opened.json as { data: { id: string } }).data;
    const poll = send('GET', `/api/v2/approvals/${id}?wait=60`);
    poll.end();
    await expect.poll(waiting).toBe(1);
    poll.destroy();
    await expect.poll(waiting).toBe(0);
    await expect.poll(outcome).toEqual([201, 499]);
  });

  it('while its invocation runs is waited for no longer, and finds the same invocation when it comes back', async () => {
    const path = '/api/v2/actions/slow/invoke';
    const headers = { 'idempotency-key': 'left' };
    const first = send('POST', path, headers);
    first.end('{"input":{}}');
    await expect.poll(waiting).toBe(1);
    first.destroy();
    await expect.poll(waiting).toBe(0);
    await expect.poll(outcome).toEqual([499]);
    // Its key is free: a retry waits for the invocation, not for a lease to expire.
    const again = send('POST', path, headers);
    again.end('{"input":{}}');
    await expect.poll(waiting).toBe(1);
    again.destroy();
    await expect.poll(waiting).toBe(0);
    await expect.poll(outcome).toEqual([499, 499]);
    const rows = await service.database.asOwner('SELECT status FROM invocations');
    expect(rows).toEqual([{ status: 'queued' }]);
  });

  it('while it waits for an earlier invocation is waited for no longer', async () => {
    const [{ id } = { id: '' }] = await service.database.asOwner<{ id: string }>('SELECT id FROM invocations LIMIT 1');
    const poll = send('GET', `/api/v2/actions/invocations/${id}?wait=60`);
    poll.end();
    await expect.poll(waiting).toBe(1);
    poll.destroy();
    await expect.poll(waiting).toBe(0);
    await expect.poll(outcome).toEqual([499]);
  });
});
