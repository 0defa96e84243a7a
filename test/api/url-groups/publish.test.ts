import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { batchResultSchema, publishedSchema } from '../../../api/messages/schemas.ts';
import { groupWithEndpointsSchema } from '../../../api/url-groups/schemas.ts';
import { ADMISSION_ESTIMATE_MICROCENTS } from '../../../domain/budgets.ts';
import { newId } from '../../../domain/ids.ts';
import { CONTENT_PER_REQUEST_BYTES_MAX } from '../../../domain/messages/messages.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { countRows, sumUsed } from '../harness/count-rows.ts';

/** Without a worker: which messages a publish to a group makes. */
const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);
beforeEach(() => api.replyViolations.splice(0));

const HOOK = 'https://example.com/hook';
const hooks = (count: number) => Array.from({ length: count }, (_, n) => ({ url: `${HOOK}/${n}` }));
const post = (path: string, body: unknown): Promise<CallResult> => api.call('POST', `/api/v2${path}`, { key, body });
const publish = (body: object): Promise<CallResult> => post('/messages/publish', body);
const create = async (endpoints: object[]) =>
  dataOf(await post('/url-groups', { name: `orders ${randomUUID()}`, endpoints }), groupWithEndpointsSchema);
const publishedIn = (reply: CallResult) => dataOf(reply, z.array(publishedSchema));
const rowsOf = (ids: readonly string[]) =>
  api.database.asOwner<{ url: string; max_retries: number; url_group_id: string; url_group_endpoint_id: string }>(
    'SELECT url, max_retries, url_group_id, url_group_endpoint_id FROM messages WHERE id = ANY($1) ORDER BY id',
    [ids],
  );
const count = (table: string): Promise<number> => countRows(api.database, table);

describe('publish to a URL group', () => {
  test.each(['its id', 'its name', 'its path'])('by %s: one message for each endpoint, in order', async (by) => {
    const group = await create([{ url: `${HOOK}/a`, retryCount: 0 }, { url: `${HOOK}/b` }]);
    const [path, to] = {
      'its id': ['/messages/publish', { urlGroup: group.groupId }] as const,
      'its name': ['/messages/publish', { urlGroup: group.name }] as const,
      'its path': [`/url-groups/${group.groupId}/publish`, {}] as const,
    }[by] ?? ['', {}];
    const reply = await post(path, { ...to, body: { order: 7 }, maxRetries: 8 });
    expect(reply.status).toBe(201);
    const published = publishedIn(reply);
    const ids = published.map((one) => one.messageId);
    expect(published).toEqual(ids.map((messageId) => ({ messageId, status: 'pending', deduplicated: false })));
    expect(await rowsOf(ids)).toEqual(
      group.endpoints.map(({ id, url, retryCount }) => ({
        url,
        max_retries: retryCount ?? 8,
        url_group_id: group.groupId,
        url_group_endpoint_id: id,
      })),
    );
    expect(api.replyViolations).toEqual([]);
  });

  test('an array also for one endpoint', async () => {
    const { groupId } = await create(hooks(1));
    expect(publishedIn(await publish({ urlGroup: groupId }))).toHaveLength(1);
  });

  test('404 for a group that is not there, with the name that may have been meant; 409 for one without endpoints', async () => {
    const { name, groupId } = await create([]);
    const before = await count('messages');
    const unknown = await publish({ urlGroup: `${name}x` });
    expect([unknown.status, errorOf(unknown).message]).toEqual([404, expect.stringContaining(name)]);
    expect((await publish({ urlGroup: newId('urlGroup') })).status).toBe(404);
    expect((await post(`/url-groups/${encodeURIComponent(name)}/publish`, {})).status).toBe(404);
    const empty = await publish({ urlGroup: groupId });
    expect([empty.status, errorOf(empty).message]).toEqual([409, expect.stringContaining('no endpoints')]);
    expect(await count('messages')).toBe(before);
  });

  test.each([
    ['neither url nor urlGroup', {}, 'body.url'],
    ['both', { url: HOOK, urlGroup: 'orders' }, 'body.urlGroup'],
  ])('400: %s', async (_, body, path) => {
    const reply = await publish(body);
    expect([reply.status, errorOf(reply).details]).toEqual([400, { issues: [expect.objectContaining({ path })] }]);
  });

  test('what is in flight stays as it was published when endpoints, or the group, go', async () => {
    const { groupId, endpoints } = await create(hooks(2));
    const ids = publishedIn(await publish({ urlGroup: groupId, delay: '1h' })).map((one) => one.messageId);
    const before = await rowsOf(ids);
    await api.call('DELETE', `/api/v2/url-groups/${groupId}/endpoints/${endpoints[0]?.id}`, { key });
    await post(`/url-groups/${groupId}/endpoints`, { url: `${HOOK}/later` });
    expect(publishedIn(await publish({ urlGroup: groupId })).length).toBe(2);
    await api.call('DELETE', `/api/v2/url-groups/${groupId}`, { key });
    expect((await publish({ urlGroup: groupId })).status).toBe(404);
    expect(await rowsOf(ids)).toEqual(before);
    const [first] = ids;
    const cancelled = await api.call('DELETE', `/api/v2/messages/${first}`, { key });
    expect(cancelled.status).toBe(200);
    expect(cancelled.json).toMatchObject({ data: { messageId: first, urlGroupId: groupId } });
  });
});

describe('deduplication', () => {
  test.each([
    ['deduplicationId', () => ({ deduplicationId: randomUUID() })],
    ['contentBasedDeduplication', () => ({ contentBasedDeduplication: true, body: randomUUID() })],
  ])('%s holds for each endpoint: one that is added gets its message', async (_, how) => {
    const { groupId } = await create(hooks(2));
    const request = { urlGroup: groupId, ...how() };
    const first = publishedIn(await publish(request));
    const again = await publish(request);
    expect(again.status).toBe(200);
    expect(publishedIn(again)).toEqual(first.map((one) => ({ ...one, deduplicated: true })));
    await post(`/url-groups/${groupId}/endpoints`, { url: `${HOOK}/new` });
    const third = await publish(request);
    expect(third.status).toBe(201);
    expect(publishedIn(third).map((one) => one.deduplicated)).toEqual([true, true, false]);
  });
});

describe('a batch', () => {
  test('answers an array for a group, and an error for what cannot be published', async () => {
    const [group, empty] = [await create(hooks(2)), await create([])];
    const messages = [
      { urlGroup: group.name },
      { urlGroup: 'nobody' },
      { url: HOOK },
      { urlGroup: empty.groupId },
      { url: 'no url' },
      { urlGroup: group.groupId, maxRetries: 1 },
    ];
    const reply = await post('/messages/batch', { messages });
    const results = dataOf(reply, z.array(batchResultSchema));
    const shapes = results.map((one) => (Array.isArray(one) ? one.length : 'error' in one ? one.error.code : 1));
    expect(shapes).toEqual([2, 'NOT_FOUND', 1, 'CONFLICT', 'VALIDATION_ERROR', 2]);
    const ids = results.flatMap((one) => (Array.isArray(one) ? one.map(({ messageId }) => messageId) : []));
    expect((await rowsOf(ids)).map((row) => row.max_retries)).toEqual([5, 5, 1, 1]);
    expect(api.replyViolations).toEqual([]);
  });

  test('makes at most a thousand messages, the endpoints counted', async () => {
    const { groupId } = await create(hooks(100));
    const before = await count('messages');
    const messages = Array.from({ length: 11 }, () => ({ urlGroup: groupId }));
    const reply = await post('/messages/batch', { messages });
    expect([reply.status, errorOf(reply).message]).toEqual([400, expect.stringContaining('1100')]);
    expect(await count('messages')).toBe(before);
  });

  test('copies a body for each endpoint up to 16 MiB together, and no further', async () => {
    const { groupId } = await create(hooks(100));
    const fits = await publish({
      urlGroup: groupId,
      body: 'x'.repeat(CONTENT_PER_REQUEST_BYTES_MAX / 100 - 100),
      delay: 60,
    });
    expect(publishedIn(fits)).toHaveLength(100);
    const before = await count('messages');
    const refused = await publish({ urlGroup: groupId, body: 'x'.repeat(CONTENT_PER_REQUEST_BYTES_MAX / 100 + 1) });
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining('16 MiB')]);
    expect(await count('messages')).toBe(before);
  });
});

describe('what it costs', () => {
  test('the budget of the key and the allowance of the plan count each message, or none is made', async () => {
    const { groupId } = await create(hooks(3));
    const used = () => sumUsed(api.database, 'messages');
    const before = await used();
    await post('/messages/batch', { messages: [{ urlGroup: groupId }, { url: HOOK }, { url: 'no url' }] });
    expect((await used()) - before).toBe(4);

    const full = await api.createKey(api.database.tenant);
    const cap = await api.call('PUT', `/api/v2/budgets/${full.record.id}`, {
      key,
      body: { caps: { messages: 2 * ADMISSION_ESTIMATE_MICROCENTS.messages } },
    });
    expect(cap.status, cap.text).toBe(201);
    const messages = await count('messages');
    const refused = await api.call('POST', `/api/v2/url-groups/${groupId}/publish`, { key: full.key, body: {} });
    expect([refused.status, errorOf(refused).code]).toEqual([429, 'BUDGET_EXCEEDED']);
    expect(await count('messages')).toBe(messages);
  });
});
