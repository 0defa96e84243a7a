import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { startTestApi } from '../harness/test-api.ts';

const api = await startTestApi();

describe('health', () => {
  it('is up and ready, for anyone who asks', async () => {
    expect(await api.call('GET', '/healthz')).toMatchObject({
      status: 200,
      json: { success: true, data: { status: 'up' } },
    });
    expect(await api.call('GET', '/readyz')).toMatchObject({
      status: 200,
      json: {
        success: true,
        data: {
          status: 'ready',
          checks: { database: 'up', temporal: 'up', workers: 'unknown', setup: 'up' },
          oldestQueuedSeconds: 0,
        },
      },
    });
    expect((await api.call('HEAD', '/readyz')).status).toBe(200);
  });

  it('refuses an absolute target that is no URL, which Node takes, as a fault of the request', async () => {
    const { hostname, port } = new URL(api.baseUrl);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write('GET http://[/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      );
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.once('end', () => resolve(text)).once('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"VALIDATION_ERROR"/);
  });

  it('is not ready without Temporal, and says so', async () => {
    const cut = await startTestApi({ database: api.database, temporalAddress: '127.0.0.1:1' });
    const reply = await cut.call('GET', '/readyz', { headers: { 'X-Request-Id': 'probe' } });
    expect(reply).toMatchObject({
      status: 503,
      json: {
        success: false,
        error: {
          code: 'SERVICE_UNAVAILABLE',
          message: 'Not ready: temporal.',
          details: { checks: { database: 'up', temporal: 'down', workers: 'unknown', setup: 'up' } },
        },
        requestId: 'probe',
      },
    });
    expect((await cut.call('GET', '/healthz')).status).toBe(200);
    await cut.close();
  });

  it('is not ready without its database, and says so', async () => {
    const cut = await startTestApi({ database: api.database });
    await cut.deps.db.close();
    expect(await cut.call('GET', '/readyz')).toMatchObject({
      status: 503,
      json: { error: { message: 'Not ready: database.', details: { oldestQueuedSeconds: null } } },
    });
    await cut.close();
  });
});

test('an API around which more is being set up is up, and not ready until that is done', async () => {
  let isSetUp = false;
  const api = await startTestApi({ isSetUp: () => isSetUp });
  onTestFinished(() => api.close());
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  const early = await api.call('GET', '/readyz');
  expect(early).toMatchObject({ status: 503, json: { error: { message: 'Not ready: setup.' } } });
  isSetUp = true;
  expect((await api.call('GET', '/readyz')).status).toBe(200);
});
