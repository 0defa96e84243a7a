import { expect, test } from 'vitest';
import { setPlan } from '../../../db/plans/plans.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { startTestApi } from '../harness/test-api.ts';

/** What runs, sessions and cached answers store is of the plan's storage (docs/plans-and-limits.md, "Storage"). */
const made = { run: '', other: '', session: '' };

const SPAN = '00f067aa0ba902b7';
const call = (method: 'POST' | 'PATCH', path: string, body: object) => api.call(method, path, { key, body });
const idOf = async (path: string): Promise<string> => {
  const { status, json } = await call('POST', path, {});
  expect(status).toBe(201);
  return (json as { data: { id: string } }).data.id;
};

const api = await startTestApi({ embedder: new FakeEmbedder() });
const { production } = await api.database.anotherWorkspace();
const { workspaceId } = production;
const { key } = await api.createKey(production);
await api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));
made.run = await idOf('/api/v2/runs');
made.other = await idOf('/api/v2/runs');
made.session = await idOf('/api/v2/sessions');
const span = await call('POST', `/api/v2/runs/${made.run}/spans`, { spans: [{ id: SPAN, name: 'x' }] });
if (span.status !== 200) throw new Error(span.text);
const OTLP = '/api/v2/otlp/v1/traces';
const otlpSpan = { traceId: 'a'.repeat(32), spanId: SPAN, name: 's', startTimeUnixNano: '1795728361000000000' };

const writes: [string, 'POST' | 'PATCH', () => string, object][] = [
  ['a run', 'POST', () => '/api/v2/runs', {}],
  ['the output of a run', 'PATCH', () => `/api/v2/runs/${made.run}`, { output: 'x' }],
  [
    'the output of a run that is cancelled',
    'PATCH',
    () => `/api/v2/runs/${made.other}`,
    { status: 'cancelled', output: 'x' },
  ],
  ['spans', 'POST', () => `/api/v2/runs/${made.run}/spans`, { spans: [{ id: SPAN, name: 'x' }] }],
  ['a change of a span', 'PATCH', () => `/api/v2/runs/${made.run}/spans/${SPAN}`, { input: 'x' }],
  ['traces', 'POST', () => OTLP, { resourceSpans: [{ scopeSpans: [{ spans: [otlpSpan] }] }] }],
  ['a session', 'POST', () => '/api/v2/sessions', {}],
  ['a change of a session', 'PATCH', () => `/api/v2/sessions/${made.session}`, { metadata: { a: 'b' } }],
  [
    'messages',
    'POST',
    () => `/api/v2/sessions/${made.session}/messages`,
    { messages: [{ role: 'user', content: 'x' }] },
  ],
  ['a cached answer', 'POST', () => '/api/v2/cache', { prompt: 'p', response: 'r' }],
];

const kept = () =>
  api.database.asOwner(
    `SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM session_messages) AS messages,
       (SELECT count(*) FROM cache_entries) AS entries, (SELECT sum(bytes) FROM stored_state) AS bytes`,
  );

test.each(writes)('%s is refused where the storage is full, and nothing is stored', async (_, method, path, body) => {
  await api.database.asOwner(`INSERT INTO stored_state (workspace_id, part, bytes) VALUES ($1, 'cache', 1024 ^ 3)`, [
    workspaceId,
  ]);
  const before = await kept();
  const refused = await call(method, path(), body);
  const message = expect.stringContaining('1073741824 bytes of storage for files, runs, sessions') as string;
  expect(refused.status).toBe(429);
  expect(refused.json).toMatchObject(
    path() === OTLP ? { code: 8, message } : { error: { code: 'QUOTA_EXCEEDED', message } },
  );
  expect(await kept()).toEqual(before);
  await api.database.asOwner(`DELETE FROM stored_state WHERE bytes = 1024 ^ 3`);
  expect((await call(method, path(), body)).status).toBeLessThan(300);
});

test('a run can be ended, and messages deleted, where the storage is full', async () => {
  await api.database.asOwner(`INSERT INTO stored_state (workspace_id, part, bytes) VALUES ($1, 'cache', 1024 ^ 3)`, [
    workspaceId,
  ]);
  const cleared = await api.call('DELETE', `/api/v2/sessions/${made.session}/messages`, { key });
  expect(cleared.status).toBe(200);
  expect((await call('PATCH', `/api/v2/runs/${made.run}`, { status: 'succeeded' })).status).toBe(200);
});
