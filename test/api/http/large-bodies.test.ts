import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { LARGE_BODIES } from '../../../api/http/bodies.ts';
import { Uploads } from '../../../api/threads/uploads.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';

/** Large bodies count by the bytes that have arrived: a slow sender occupies them for as long as a request may last. */
const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);
const { key: neighbour } = await api.createKey((await api.database.anotherWorkspace()).development);

const SPANS = '/api/v2/runs/run_none/spans';
const TRACES = '/api/v2/otlp/v1/traces';
const LEFT = 50_000;
const body = { padding: 'x'.repeat(LEFT) };

/** While the workspace has all but LEFT of its allowance in use. */
async function nearlyFull<T>(work: () => Promise<T>): Promise<T> {
  const held = api.deps.largeBodies.open(api.database.tenant.workspaceId);
  held.take((LARGE_BODIES.bytesAWorkspaceMax ?? 0) - LEFT);
  try {
    return await work();
  } finally {
    held.leave();
  }
}

describe('the bytes of a workspace are bounded', () => {
  test.each([SPANS, TRACES, '/api/v2/memory/ingest'])('on POST %s', async (path) => {
    const send = (by: string, sent: object = body): Promise<CallResult> =>
      api.call('POST', path, { key: by, body: sent });
    const [full, other, small] = await nearlyFull(() => Promise.all([send(key), send(neighbour), send(key, {})]));
    expect(full.status).toBe(503);
    for (const { status } of [other, small, await send(key)]) expect(status).not.toBe(503);
  });

  test('as a compressed body is unpacked', async () => {
    const raw = gzipSync(JSON.stringify({ resourceSpans: [], padding: 'x'.repeat(LEFT) }));
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const send = (): Promise<CallResult> => api.call('POST', TRACES, { key, raw, headers });
    expect((await nearlyFull(send)).status).toBe(503);
    expect((await send()).status).not.toBe(503);
  });
});

test('the bytes of all workspaces are bounded, and are given back', () => {
  const refusal = (): Error => new Error('too many');
  const uploads = new Uploads({ aWorkspaceMax: 9, bytesAWorkspaceMax: 3, bytesMax: 4, refusal });
  const [a, more, b] = [uploads.open('a'), uploads.open('a'), uploads.open('b')];
  a.take(2);
  expect(() => more.take(2)).toThrow('too many');
  more.take(1);
  expect(() => b.take(2)).toThrow('too many');
  a.leave();
  b.take(2);
  more.take(1);
  expect(() => more.take(1)).toThrow('too many');
});
