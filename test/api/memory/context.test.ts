import { expect, test } from 'vitest';
import { startTestApi } from '../harness/test-api.ts';

interface Context {
  text: string;
  tokens: number;
  included: { source: string; id: string; score: number | null }[];
  dropped: { memories: number };
}

const ask = (body: object, asKey = key) => api.call('POST', '/api/v2/context', { key: asKey, body });
const contextOf = ({ json }: Awaited<ReturnType<typeof ask>>): Context => (json as { data: Context }).data;

const api = await startTestApi();
const key = (await api.createKey(api.database.tenant)).key;
for (const [content, userId] of [
  ['Ada wants her invoices in euro', 'ada'],
  ['Bob wants his invoices in dollars', 'bob'],
]) {
  const stored = await api.call('POST', '/api/v2/memory', { key, body: { content, userId } });
  if (stored.status !== 201) throw new Error(stored.text);
}

test('a context holds what memory knows about the query, of the user that is named', async () => {
  const body = {
    query: 'Which currency do invoices have?',
    memory: { userId: 'ada' },
    maxTokens: 1_000,
    format: 'text',
  };
  const reply = await ask(body);
  expect(reply.status, reply.text).toBe(200);
  const { text, tokens, included, dropped } = contextOf(reply);
  expect(text).toContain('Ada wants her invoices in euro');
  expect(text).not.toContain('Bob');
  expect(tokens).toBeLessThanOrEqual(1_000);
  expect(included).toMatchObject([{ source: 'memory', id: expect.stringMatching(/^mem_/) as string }]);
  expect(included[0]?.score).toBeGreaterThan(0);
  expect(dropped.memories).toBe(0);
});

test('a context with memory needs memory:read beside context:read', async () => {
  const { key: narrow } = await api.createKey(api.database.tenant, { scopes: ['context:read'] });
  const refused = await ask({ query: 'invoices', memory: {}, format: 'text' }, narrow);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('memory:read');
});

test.each([
  [{ format: 'text' }, 'body.sessionId'],
  [{ memory: {}, format: 'text' }, 'body.query'],
  [{ sessionId: 'ses_1', query: 'x' }, 'body.query'],
])('a context of %j is refused', async (body, path) => {
  const refused = await ask(body);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain(path);
});
