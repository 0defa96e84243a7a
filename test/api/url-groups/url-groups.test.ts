import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpointSchema, groupSchema, groupWithEndpointsSchema } from '../../../api/url-groups/schemas.ts';
import { newId } from '../../../domain/ids.ts';
import { ENDPOINTS_PER_GROUP_MAX, GROUPS_PER_ENVIRONMENT_MAX } from '../../../domain/url-groups/url-groups.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const HOOK = 'https://example.com/hook';
const call = (method: string, path: string, body?: unknown, as = key): Promise<CallResult> =>
  api.call(method, `/api/v2/url-groups${path}`, { key: as, body });
const groupIn = (reply: CallResult) => dataOf(reply, groupWithEndpointsSchema);
const create = async (endpoints: unknown[] = [], as = key) =>
  groupIn(await call('POST', '', { name: `group ${randomUUID()}`, endpoints }, as));
const get = async (groupId: string) => groupIn(await call('GET', `/${groupId}`));
const hooks = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ url: `${HOOK}/${from + n}` }));

describe('a URL group', () => {
  test('is made with its endpoints, in their order, and shown with them', async () => {
    const group = await create([{ url: `${HOOK}/b`, name: 'books', retryCount: 0 }, { url: `${HOOK}/a` }]);
    expect(group).toMatchObject({ groupId: expect.stringMatching(/^grp_/), endpointCount: 2 });
    expect(group.endpoints.map(({ url, name, retryCount }) => ({ url, name, retryCount }))).toEqual([
      { url: `${HOOK}/b`, name: 'books', retryCount: 0 },
      { url: `${HOOK}/a`, name: null, retryCount: null },
    ]);
    expect(await get(group.groupId)).toEqual(group);
  });

  test('is listed without its endpoints, and found by its name', async () => {
    const { groupId, name } = await create(hooks(2));
    const found = dataOf(await call('GET', `?name=${encodeURIComponent(name)}`), z.array(groupSchema));
    expect(found).toEqual([expect.objectContaining({ groupId, name, endpointCount: 2 })]);
  });

  test('has a name that no other group of its environment has, until it is deleted', async () => {
    const [first, second] = [await create(), await create()];
    expect((await call('POST', '', { name: first.name })).status).toBe(409);
    const taken = await call('PATCH', `/${second.groupId}`, { name: first.name });
    expect([taken.status, errorOf(taken).message]).toEqual([409, expect.stringContaining(first.name)]);
    const { key: elsewhere } = await api.createKey(api.database.tenants.staging);
    expect((await call('POST', '', { name: first.name }, elsewhere)).status).toBe(201);

    expect((await call('DELETE', `/${first.groupId}`)).status).toBe(200);
    expect((await call('GET', `/${first.groupId}`)).status).toBe(404);
    expect((await call('DELETE', `/${first.groupId}`)).status).toBe(404);
    const renamed = groupIn(await call('PATCH', `/${second.groupId}`, { name: first.name }));
    expect(renamed).toEqual({ ...second, name: first.name, updatedAt: renamed.updatedAt });
  });

  test.each([
    ['no name', {}, 'body.name'],
    ['an empty name', { name: '  ' }, 'body.name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
    ['a name in the form of an id', { name: newId('urlGroup') }, 'body.name'],
    ['a URL that is none', { name: 'x', endpoints: [{ url: 'ftp://example.com' }] }, 'body.endpoints[0].url'],
    ['11 retries', { name: 'x', endpoints: [{ url: HOOK, retryCount: 11 }] }, 'body.endpoints[0].retryCount'],
    ['-1 retries', { name: 'x', endpoints: [{ url: HOOK, retryCount: -1 }] }, 'body.endpoints[0].retryCount'],
    ['101 endpoints', { name: 'x', endpoints: hooks(ENDPOINTS_PER_GROUP_MAX + 1) }, 'body.endpoints'],
  ])('400: %s', async (_, body, path) => {
    const reply = await call('POST', '', body);
    expect(reply.status).toBe(400);
    expect(errorOf(reply).details).toEqual({ issues: [expect.objectContaining({ path })] });
  });
});

describe('its endpoints', () => {
  test('are added and removed, and the group says when it changed', async () => {
    const { groupId, updatedAt } = await create(hooks(1));
    const reply = await call('POST', `/${groupId}/endpoints`, { url: `${HOOK}/new`, retryCount: 10 });
    expect(reply.status).toBe(201);
    const added = dataOf(reply, endpointSchema);
    expect(added).toMatchObject({ url: `${HOOK}/new`, name: null, retryCount: 10 });
    const grown = await get(groupId);
    expect(grown.endpoints.map((endpoint) => endpoint.url)).toEqual([`${HOOK}/0`, `${HOOK}/new`]);
    expect(Date.parse(grown.updatedAt)).toBeGreaterThanOrEqual(Date.parse(updatedAt));

    const remove = (endpointId: string) => call('DELETE', `/${groupId}/endpoints/${endpointId}`);
    expect((await remove(added.id)).status).toBe(200);
    expect((await get(groupId)).endpointCount).toBe(1);
    const missing = [await remove(added.id), await remove(randomUUID()), await remove('no-uuid')];
    expect(missing.map((again) => again.status)).toEqual([404, 404, 404]);
  });

  test('a URL stands once in a group, and can come back', async () => {
    const { groupId, endpoints } = await create(hooks(1));
    const add = () => call('POST', `/${groupId}/endpoints`, { url: `${HOOK}/0` });
    expect((await add()).status).toBe(409);
    await call('DELETE', `/${groupId}/endpoints/${endpoints[0]?.id}`);
    expect((await add()).status).toBe(201);
    expect((await call('POST', '', { name: 'twice', endpoints: [...hooks(1), ...hooks(1)] })).status).toBe(409);
  });

  test('an endpoint belongs to its group: another one does not remove it', async () => {
    const [group, other] = [await create(hooks(1)), await create()];
    const reply = await call('DELETE', `/${other.groupId}/endpoints/${group.endpoints[0]?.id}`);
    expect([reply.status, (await get(group.groupId)).endpointCount]).toEqual([404, 1]);
  });

  test('are at most a hundred, also where many requests add at once', async () => {
    const { groupId } = await create(hooks(ENDPOINTS_PER_GROUP_MAX - 2));
    const added = await Promise.all(
      hooks(6, 1_000).map(async (endpoint) => (await call('POST', `/${groupId}/endpoints`, endpoint)).status),
    );
    expect(added.toSorted((left, right) => left - right)).toEqual([201, 201, 429, 429, 429, 429]);
    expect((await get(groupId)).endpointCount).toBe(ENDPOINTS_PER_GROUP_MAX);
  });
});

test('an environment has at most a thousand groups', async () => {
  const tenant = api.database.tenants.production;
  await api.database.asOwner(
    `INSERT INTO url_groups (id, environment_id, name) SELECT 'grp_' || n, $1, 'group ' || n FROM generate_series(1, $2) n`,
    [tenant.environmentId, GROUPS_PER_ENVIRONMENT_MAX],
  );
  const { key: full } = await api.createKey(tenant);
  const refused = await call('POST', '', { name: 'one more' }, full);
  expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
  await call('DELETE', '/grp_1', undefined, full);
  expect((await call('POST', '', { name: 'one more' }, full)).status).toBe(201);
});
