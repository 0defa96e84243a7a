import { describe, expect, test, vi } from 'vitest';
import { startTestApi, type CallResult } from '../harness/test-api.ts';

/** A read by a key that the process has seen before looks it up in the round trip of the read. Nothing may show of that. */
const api = await startTestApi();

const ACTIONS = '/api/v2/actions';
const revokeUnseen = (keyId: string): Promise<unknown> =>
  api.database.asOwner('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);
const codeOf = ({ status, json }: CallResult): [number, string | undefined] => [
  status,
  (json as { error?: { code: string } }).error?.code,
];

/** How often a request was looked up before its work. */
async function lookUpsDuring(work: () => Promise<unknown>): Promise<number> {
  const ask = vi.spyOn(api.deps.db.directory, 'raw');
  await work();
  const count = ask.mock.calls.filter(([sql]) => sql.includes('find_api_key')).length;
  ask.mockRestore();
  return count;
}

describe('a key that was seen before', () => {
  test('is looked up with the read, and not before it', async () => {
    const { key } = await api.createKey(api.database.tenant);
    const read = (): Promise<CallResult> => api.call('GET', ACTIONS, { key });
    expect(await lookUpsDuring(async () => expect((await read()).status).toBe(200))).toBe(1);
    expect(await lookUpsDuring(async () => expect((await read()).status).toBe(200))).toBe(0);
  });

  test.each([
    ['a list', 'GET', ACTIONS],
    ['a read', 'GET', `${ACTIONS}/no.such.action`],
    ['a query that is refused', 'GET', `${ACTIONS}?page=none`],
    ['a change', 'POST', ACTIONS],
  ])('and revoked in the database alone is refused at once: %s', async (_, method, path) => {
    const { key, record } = await api.createKey(api.database.tenant);
    const ask = (): Promise<CallResult> =>
      api.call(method, path, { key, ...(method === 'POST' ? { body: { nothing: true } } : {}) });
    expect((await ask()).status).not.toBe(401);
    await revokeUnseen(record.id);
    const refused = await ask();
    expect(codeOf(refused)).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect([...refused.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    expect(codeOf(await ask())).toEqual([401, 'AUTHENTICATION_ERROR']);
  });

  test('and expired is refused, although its scope would be missing too', async () => {
    const { key, record } = await api.createKey(api.database.tenant, { scopes: ['secrets:read'] });
    expect(codeOf(await api.call('GET', ACTIONS, { key }))).toEqual([403, 'AUTHORIZATION_ERROR']);
    await api.database.asOwner("UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1", [record.id]);
    expect(codeOf(await api.call('GET', ACTIONS, { key }))).toEqual([401, 'AUTHENTICATION_ERROR']);
  });

  test('keeps its scopes: what it may not read is refused as before', async () => {
    const { key } = await api.createKey(api.database.tenant, { scopes: ['secrets:read'] });
    for (let time = 1; time <= 2; time++) {
      expect(codeOf(await api.call('GET', ACTIONS, { key }))).toEqual([403, 'AUTHORIZATION_ERROR']);
    }
  });

  test('whose environment was changed is looked up anew, and answered', async () => {
    const { key } = await api.createKey(api.database.tenant);
    const read = async (): Promise<unknown> => expect((await api.call('GET', ACTIONS, { key })).status).toBe(200);
    await read();
    const { environmentId } = api.database.tenant;
    await api.database.asOwner("UPDATE environments SET name = 'Renamed' WHERE id = $1", [environmentId]);
    expect(await lookUpsDuring(read)).toBe(1);
    expect(await lookUpsDuring(read)).toBe(0);
  });

  test('reads its own environment only, whatever other keys were seen', async () => {
    const { development, staging } = api.database.tenants;
    const [first, second] = [await api.createKey(development), await api.createKey(staging)];
    const adapter = { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } };
    expect((await api.call('POST', ACTIONS, { key: first.key, body: { name: 'only.here', adapter } })).status).toBe(
      201,
    );
    for (let time = 1; time <= 2; time++) {
      expect((await api.call('GET', `${ACTIONS}/only.here`, { key: first.key })).status).toBe(200);
      expect((await api.call('GET', `${ACTIONS}/only.here`, { key: second.key })).status).toBe(404);
    }
  });
});
