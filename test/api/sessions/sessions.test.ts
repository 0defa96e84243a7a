import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { messageSchema, sessionSchema } from '../../../api/sessions/schemas.ts';
import { deleteExpiredSessions } from '../../../db/sessions/directory.ts';
import { MESSAGE_BYTES_MAX, MESSAGES_PER_SESSION_MAX } from '../../../domain/sessions/sessions.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, `/api/v2/sessions${path}`, { key, ...(body === undefined ? {} : { body }) });
const begin = async (body: object = {}) => dataOf(await call('POST', '', body), sessionSchema);
const said = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });
const append = async (id: string, ...messages: object[]) =>
  dataOf(await call('POST', `/${id}/messages`, { messages }), z.array(messageSchema));
const messagesIn = (reply: CallResult) => dataOf(reply, z.array(messageSchema));
const session = async (id: string) => dataOf(await call('GET', `/${id}`), sessionSchema);

describe('the numbers of messages', () => {
  test('go on after a pop and after a clear: none is used twice', async () => {
    const { id } = await begin();
    expect((await append(id, said('a'), said('b'))).map((one) => one.sequence)).toEqual([1, 2]);
    const popped = dataOf(await call('DELETE', `/${id}/messages/last`), messageSchema);
    expect(popped).toMatchObject({ sequence: 2, content: 'b' });
    expect((await append(id, said('c')))[0]?.sequence).toBe(3);
    expect((await call('DELETE', `/${id}/messages`)).json).toMatchObject({ data: { deleted: 2 } });
    expect(await session(id)).toMatchObject({ messageCount: 0, tokenCount: 0 });
    expect((await append(id, said('d')))[0]?.sequence).toBe(4);
    expect(await session(id)).toMatchObject({ messageCount: 1, tokenCount: 1 });
  });

  test('are never moved back, whoever writes', async () => {
    const { id } = await begin();
    await append(id, said('a'), said('b'));
    const back = api.database.asOwner('UPDATE sessions SET last_sequence = 1, message_count = 1 WHERE id = $1', [id]);
    await expect(back).rejects.toThrow('would use the number 2 twice');
  });

  test('a pop of nothing is a 404, also after the last one went', async () => {
    const { id } = await begin();
    expect((await call('DELETE', `/${id}/messages/last`)).status).toBe(404);
    await append(id, said('a'));
    expect((await call('DELETE', `/${id}/messages/last`)).status).toBe(200);
    expect((await call('DELETE', `/${id}/messages/last`)).status).toBe(404);
  });
});

test('tokens are those of o200k_base: of the text, of each part, of the calls', async () => {
  const { id } = await begin();
  const appended = await append(
    id,
    said('Hello, world!'),
    said([
      { type: 'text', text: 'Hello, world!' },
      { type: 'text', text: 'tiktoken is great!' },
    ]),
    { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'lookup', arguments: { order: 7 } }] },
    said('<|endoftext|>'),
  );
  // OpenAI's own counts: 'Hello, world!' has 4, 'tiktoken is great!' has 6. A mark is text, and so several.
  expect(appended.map((one) => one.tokens).slice(0, 2)).toEqual([4, 10]);
  expect(appended[3]?.tokens).toBeGreaterThan(1);
  expect((await session(id)).tokenCount).toBe(appended.reduce((sum, one) => sum + one.tokens, 0));
});

test('messages are read whole, in either order, and behind a number', async () => {
  const { id } = await begin();
  const large = 'x'.repeat(20_000);
  await append(id, said('a'), said(large), said('c'), said('d'));
  const list = async (query: string) =>
    messagesIn(await call('GET', `/${id}/messages${query}`)).map((one) => one.content);
  expect(await list('')).toEqual(['a', large, 'c', 'd']);
  expect(await list('?order=desc&limit=2')).toEqual(['d', 'c']);
  expect(await list('?after=2')).toEqual(['c', 'd']);
  expect(await list('?order=desc&after=3')).toEqual([large, 'a']);
});

describe('expiry', () => {
  const expire = (id: string) =>
    api.database.asOwner("UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);

  test('a session past its end is not there: 404 everywhere, in no list, and the sweep deletes it with its messages', async () => {
    const { id } = await begin({ ttlSeconds: 1_000, userId: 'u-expired' });
    await append(id, said('a'), said('b'));
    await expire(id);
    const replies = await Promise.all([
      call('GET', `/${id}`),
      call('PATCH', `/${id}`, { ttlSeconds: 60 }),
      call('DELETE', `/${id}`),
      call('GET', `/${id}/messages`),
      call('POST', `/${id}/messages`, { messages: [said('c')] }),
      call('DELETE', `/${id}/messages`),
      call('DELETE', `/${id}/messages/last`),
      call('GET', `/${id}/context`),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
    expect((await call('GET', '?userId=u-expired')).json).toMatchObject({ data: [], pagination: { total: 0 } });
    expect(await deleteExpiredSessions(api.deps.db, [id])).toBe(3);
    const left = await api.database.asOwner('SELECT FROM session_messages WHERE session_id = $1', [id]);
    expect(left).toEqual([]);
  });

  test('the sweep deletes no session that is not past its end', async () => {
    const { id } = await begin({ ttlSeconds: 1_000 });
    await append(id, said('a'));
    expect(await deleteExpiredSessions(api.deps.db, [id])).toBe(0);
    expect((await session(id)).messageCount).toBe(1);
  });

  test('ttlSeconds counts from its change, and null ends the expiry', async () => {
    const before = Date.now();
    const { id, expiresAt } = await begin({ ttlSeconds: 1_000 });
    expect(Math.abs(Date.parse(expiresAt ?? '') - before - 1_000_000)).toBeLessThan(60_000);
    expect(dataOf(await call('PATCH', `/${id}`, { ttlSeconds: null }), sessionSchema).expiresAt).toBeNull();
    const later = dataOf(await call('PATCH', `/${id}`, { ttlSeconds: 5_000 }), sessionSchema).expiresAt;
    expect(Math.abs(Date.parse(later ?? '') - before - 5_000_000)).toBeLessThan(60_000);
  });
});

test('a change keeps what it does not name', async () => {
  const { id } = await begin({ name: 'a', userId: 'u', agentId: 'g', metadata: { a: 1 } });
  const changed = dataOf(await call('PATCH', `/${id}`, { name: 'b', metadata: null }), sessionSchema);
  expect(changed).toMatchObject({ name: 'b', userId: 'u', agentId: 'g', metadata: null, expiresAt: null });
});

test('deleting, clearing and a pop are in the audit log, with what was there and without content', async () => {
  const { id } = await begin({ name: 'short' });
  await append(id, said('a'), said('b'));
  await call('DELETE', `/${id}/messages/last`);
  await call('DELETE', `/${id}/messages`);
  await call('DELETE', `/${id}`);
  const entries = await api.database.asOwner(
    'SELECT action, details FROM audit_log WHERE target_id = $1 ORDER BY sequence',
    [id],
  );
  expect(entries).toEqual([
    { action: 'session.message_removed', details: { name: 'short', sequence: 2, role: 'user' } },
    { action: 'session.cleared', details: { name: 'short', deleted: 1 } },
    { action: 'session.deleted', details: { name: 'short', messageCount: 0 } },
  ]);
});

test('a full session refuses more: 429, and nothing is appended', async () => {
  const { id } = await begin();
  const nearlyFull = [MESSAGES_PER_SESSION_MAX - 1, id];
  await api.database.asOwner(
    'UPDATE sessions SET message_count = $1::int, last_sequence = $1::int WHERE id = $2',
    nearlyFull,
  );
  const refused = await call('POST', `/${id}/messages`, { messages: [said('a'), said('b')] });
  expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect((await append(id, said('a')))[0]?.sequence).toBe(MESSAGES_PER_SESSION_MAX);
});

const CALL = { id: 'c', name: 'f', arguments: {} };
test.each([
  ['an unknown role', { role: 'robot', content: '' }, 'role'],
  ['a result without its call', { role: 'tool', content: 'x' }, 'toolCallId'],
  ['a call id that is not a result’s', said('x', { toolCallId: 'c' }), 'toolCallId'],
  ['calls that are not an assistant’s', said('x', { toolCalls: [CALL] }), 'toolCalls'],
  ['two calls of one id', { role: 'assistant', content: '', toolCalls: [CALL, CALL] }, 'toolCalls'],
  ['a part of an unknown kind', said([{ type: 'video', url: 'https://example.com' }]), 'content'],
  [
    'an image that a provider would fetch in clear',
    said([{ type: 'image', url: 'http://example.com/a.png' }]),
    'content',
  ],
  ['no part', said([]), 'content'],
  ['a message that is too large', said('x'.repeat(MESSAGE_BYTES_MAX)), 'content'],
])('400: %s, and none of its request is appended', async (_, message, member) => {
  const { id } = await begin();
  const reply = await call('POST', `/${id}/messages`, { messages: [said('fine'), message] });
  expect(reply.status).toBe(400);
  expect(JSON.stringify(errorOf(reply).details)).toContain(`body.messages[1].${member}`);
  expect((await session(id)).messageCount).toBe(0);
});
