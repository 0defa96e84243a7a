import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { Authenticator } from '../../../api/http/authenticate.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { statusAndCode } from '../invocations/support.ts';

/** Each request reads its key from the database: no cache of a process accepts a key that has ended. */
const api = await startTestApi();

const ACTIONS = '/api/v2/actions';
const revokeUnseen = (keyId: string): Promise<unknown> =>
  api.database.asOwner('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);

/** How often a key was looked up. */
async function lookUpsDuring(work: () => Promise<unknown>): Promise<number> {
  const ask = vi.spyOn(api.deps.db.directory, 'raw');
  await work();
  const count = ask.mock.calls.filter(([, sql]) => sql.includes('find_api_key')).length;
  ask.mockRestore();
  return count;
}

describe('requests with a key', () => {
  test('that arrive in the same turn of the event loop share one look-up, and a later one has its own', async () => {
    const { key } = await api.createKey(api.database.tenant);
    const keys = new Authenticator(api.deps.db, api.deps.logger, () => null);
    const look = (): Promise<unknown> => keys.authenticate(`Bearer ${key}`);
    const oneForThree = 'a look-up is shared by requests that arrived before it began: see Authenticator.grantOf';
    expect(await lookUpsDuring(() => Promise.all([look(), look(), look()])), oneForThree).toBe(1);
    const oneForEach = 'a request never takes a look-up that began before it arrived: it would miss a revocation';
    const two = async (): Promise<void> => {
      const first = look();
      await promisify(setImmediate)();
      await Promise.all([first, look()]);
    };
    expect(await lookUpsDuring(two), oneForEach).toBe(2);
  });

  test('do not share one with another key', async () => {
    const keys = new Authenticator(api.deps.db, api.deps.logger, () => null);
    const made = [await api.createKey(api.database.tenant), await api.createKey(api.database.tenant)];
    const callers = await Promise.all(made.map(({ key }) => keys.authenticate(`Bearer ${key}`)));
    expect(callers).toMatchObject(made.map(({ record }) => ({ type: 'api_key', keyId: record.id })));
  });
});

describe('a key that was seen before', () => {
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
    expect(statusAndCode(refused)).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect([...refused.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    expect(statusAndCode(await ask())).toEqual([401, 'AUTHENTICATION_ERROR']);
  });

  test('and expired is refused, although its scope would be missing too', async () => {
    const { key, record } = await api.createKey(api.database.tenant, { scopes: ['secrets:read'] });
    expect(statusAndCode(await api.call('GET', ACTIONS, { key }))).toEqual([403, 'AUTHORIZATION_ERROR']);
    await api.database.asOwner("UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1", [record.id]);
    expect(statusAndCode(await api.call('GET', ACTIONS, { key }))).toEqual([401, 'AUTHENTICATION_ERROR']);
  });

  test('keeps its scopes: what it may not read is refused as before', async () => {
    const { key } = await api.createKey(api.database.tenant, { scopes: ['secrets:read'] });
    for (let time = 1; time <= 2; time++) {
      expect(statusAndCode(await api.call('GET', ACTIONS, { key }))).toEqual([403, 'AUTHORIZATION_ERROR']);
    }
  });

  test('reads only its own environment after other keys were seen', async () => {
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
