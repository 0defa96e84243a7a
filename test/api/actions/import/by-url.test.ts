import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createDocumentFetcher } from '../../../../activities/adapters/http-request/fetch-document.ts';
import { actionRoutes } from '../../../../api/actions/routes.ts';
import { parseEgressAllow } from '../../../../domain/egress.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { DOCUMENT_BYTES_MAX } from '../../../../domain/openapi-import/limits.ts';
import { startTestApi, type CallResult } from '../../harness/test-api.ts';
import { importedBy, smallDocument } from './support.ts';
import { WATCHDOG } from '../../../harness/watchdog.ts';

let served = 0;

/** The reply of each path of the documents' host. */
const ANSWERS: Record<
  string,
  (write: (status: number, body: Buffer | string, headers?: Record<string, string>) => void) => void
> = {
  '/docs/openapi.json': (write) =>
    write(200, JSON.stringify({ ...smallDocument('fetched'), servers: [{ url: '../v1' }] })),
  '/openapi.yaml': (write) =>
    write(200, 'openapi: 3.1.0\ninfo: { title: y }\npaths: { /a: { get: { operationId: yaml.a } } }'),
  '/moved': (write) => write(302, '', { location: '/docs/openapi.json' }),
  '/missing': (write) => write(404, ''),
  '/large': (write) => write(200, Buffer.alloc(DOCUMENT_BYTES_MAX + 1, 32)),
  '/zipped': (write) => write(200, gzipSync('{}'), { 'content-encoding': 'gzip' }),
  '/latin1': (write) => write(200, Buffer.from([0x7b, 0xe9, 0x7d])),
};

const api = await startTestApi({ routes: actionRoutes });
const key = (await api.createKey(api.database.tenants.development)).key;
const server = createServer((request, response) => {
  served++;
  ANSWERS[request.url?.split('?')[0] ?? '']?.((status, body, headers = {}) => {
    response.writeHead(status, headers);
    response.end(body);
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

const importing = (url: string, more: JsonObject = {}): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions/import', { key, body: { url, ...more } });

describe('a description by its URL', () => {
  it('is fetched, and its relative servers are relative to it', async () => {
    const first = await importing(`${base}/docs/openapi.json?token=opens-it`);
    expect(importedBy(first).map(({ status }) => status)).toEqual(['created', 'created']);
    const reply = await api.call('GET', '/api/v2/actions/fetched.get-0', { key });
    expect(reply.json).toMatchObject({ data: { adapter: { config: { url: `${base}/v1/things/0` } } } });
    expect(importedBy(await importing(`${base}/openapi.yaml`))).toMatchObject([{ name: 'yaml.a', status: 'created' }]);
    const [entry] = await api.database.asOwner<{ details: JsonObject }>(
      `SELECT details FROM audit_log WHERE action = 'actions.imported' ORDER BY recorded_at LIMIT 1`,
    );
    expect(entry?.details).toMatchObject({ title: 'fetched', url: `${base}/docs/openapi.json`, created: 2 });
  });

  it.each([
    ['/moved', /302; redirects are not followed/],
    ['/missing', /404/],
    ['/large', /larger than/],
    ['/zipped', /encoding gzip/],
    ['/latin1', /UTF-8/],
  ])('%s is refused', async (path, message) => {
    const reply = await importing(`${base}${path}`);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { details: { issues: [{ path: 'body.url' }] } } });
    expect(reply.text).toMatch(message);
  });

  it('is not fetched from where the egress guard does not go, nor in clear from where anybody may listen', async () => {
    const before = served;
    const guarded = createDocumentFetcher({ egressAllow: [], watchdog: WATCHDOG });
    expect(await guarded(`${base}/docs/openapi.json`, 'workspace')).toMatchObject({
      kind: 'refused',
      message: 'must begin with https://',
    });
    expect(await guarded(base.replace('http:', 'https:'), 'workspace')).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('does not call') as string,
    });
    expect(await guarded('https://169.254.169.254/latest', 'workspace')).toMatchObject({
      message: expect.stringContaining('does not call') as string,
    });
    const publicName = createDocumentFetcher({
      watchdog: WATCHDOG,
      egressAllow: parseEgressAllow('127.0.0.1'),
      resolve: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]),
    });
    expect(await publicName('http://docs.example/openapi.json', 'workspace')).toMatchObject({
      message: expect.stringContaining('only https://') as string,
    });
    expect(served).toBe(before);
  });
});
