import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CREDENTIAL_ENDED, type Credential } from '../../../db/scope.ts';
import type { Role } from '../../../domain/roles.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { plantGrant } from '../oauth/planted-grant.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { sendSlowly } from '../suites/change-suites.ts';
import { askDuring } from '../harness/open-transaction.ts';
import { statusAndCode } from '../invocations/support.ts';

/** A credential holds until the commit. These tests change a caller during their change and check the answer. */
const api = await startTestApi();
const path = `/api/v2/workspaces/${api.database.tenant.workspaceId}/members`;
await createPerson(api, 'owner');

const demote = (by: TestPerson, whom: TestPerson): Promise<CallResult> =>
  by.call('PATCH', `${path}/${whom.userId}`, { body: { role: 'member' satisfies Role } });
const deadlocks = async (): Promise<number> => {
  const sql = 'SELECT pg_stat_get_db_deadlocks(oid)::int AS count FROM pg_database WHERE datname = current_database()';
  return (await api.database.asOwner<{ count: number }>(sql))[0]?.count ?? 0;
};

describe('a change whose caller is changed meanwhile', () => {
  test('two admins who demote each other at once: one is demoted, the deadlock is run again and told to nobody', async () => {
    const [first, second] = [await createPerson(api, 'admin'), await createPerson(api, 'admin')];
    const before = await deadlocks();
    const lock = 'SELECT FROM members WHERE user_id = ANY($1) FOR UPDATE';
    const demoteBoth = () => Promise.all([demote(first, second), demote(second, first)]);
    const replies = await askDuring(api.database, [lock, [[first.userId, second.userId]]], demoteBoth, 2);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    const roles = await api.database.asOwner('SELECT role FROM members WHERE user_id = ANY($1) ORDER BY role', [
      [first.userId, second.userId],
    ]);
    expect(roles).toEqual([{ role: 'admin' }, { role: 'member' }]);
    await expect.poll(deadlocks).toBeGreaterThan(before);
  });

  type Change = (admin: TestPerson, boss: TestPerson, members: string) => Promise<unknown>;
  const removedByApi: Change = (admin, boss, members) => boss.call('DELETE', `${members}/${admin.userId}`);
  const lowered: Change = (admin, boss, members) =>
    boss.call('PATCH', `${members}/${admin.userId}`, { body: { role: 'member' } });
  const rowDeleted: Change = (admin) => api.database.asOwner('DELETE FROM members WHERE user_id = $1', [admin.userId]);

  test.each([
    ['is removed, which ends their sessions: 401', removedByApi, [401, 'AUTHENTICATION_ERROR']],
    ['is no member any more and still signed in: 404', rowDeleted, [404, 'NOT_FOUND']],
    ['has a lower role: 403', lowered, [403, 'AUTHORIZATION_ERROR']],
  ] as const)('a member who %s, as on a new request, and nothing is written', async (_, change, refused) => {
    const { workspaceId } = (await api.database.anotherWorkspace()).development;
    const members = `/api/v2/workspaces/${workspaceId}/members`;
    const boss = await createPerson(api, 'owner', { workspaceId });
    const admin = await createPerson(api, 'admin', { workspaceId });
    const other = await createPerson(api, 'admin', { workspaceId });
    const unseen = `UPDATE sign_in_sessions SET last_seen_at = now() - interval '5 minutes' WHERE id = $1`;
    await api.database.asOwner(unseen, [admin.sessionId]);
    const seen = `SELECT FROM sign_in_sessions WHERE id = $1 AND last_seen_at > now() - interval '4 minutes'`;
    const reply = await sendSlowly(
      `${api.baseUrl}${members}/${other.userId}`,
      'PATCH',
      { headers: admin.headers, body: { role: 'member' } },
      async () => {
        const looked = async (): Promise<number> => (await api.database.asOwner(seen, [admin.sessionId])).length;
        await expect.poll(looked, { interval: 10 }).toBe(1);
        await change(admin, boss, members);
      },
    );
    expect(statusAndCode(reply)).toEqual(refused);
    const again = await admin.call('PATCH', `${members}/${other.userId}`, { body: { role: 'member' } });
    expect(statusAndCode(again)).toEqual(refused);
    const sql = 'SELECT role FROM members WHERE user_id = $1';
    expect(await api.database.asOwner<{ role: Role }>(sql, [other.userId])).toEqual([{ role: 'admin' }]);
  });
});

describe('a change under way', () => {
  const asOwner = async (sql: string, id: string): Promise<void> => void (await api.database.asOwner(sql, [id]));
  const waitingForCredentials = async (): Promise<number> => {
    const sql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return (await api.database.asOwner(sql)).length;
  };
  const key = async (): Promise<Ended> => {
    const { id } = (await api.createKey(api.database.tenant)).record;
    const revoke = 'UPDATE api_keys SET revoked_at = now() WHERE id = $1';
    return { held: { type: 'api_key', keyId: id }, end: () => asOwner(revoke, id) };
  };
  const member = async (sql: string, of: 'userId' | 'sessionId'): Promise<Ended> => {
    const { workspaceId } = api.database.tenant;
    const person = await createPerson(api, 'admin');
    const { sessionId, userId } = person;
    const held = { type: 'session', sessionId, userId, membership: { workspaceId, role: 'admin' } } as const;
    return { held, end: () => asOwner(sql, person[of]) };
  };
  const app = async (sql: string, of: 'userId' | 'grantId'): Promise<Ended> => {
    const { workspaceId } = api.database.tenant;
    const { userId } = await createPerson(api, 'admin');
    const grantId = await plantGrant(api.database, api.database.tenant, userId);
    const held = { type: 'oauth', grantId, userId, workspaceId, role: 'admin' } as const;
    return { held, end: () => asOwner(sql, { userId, grantId }[of]) };
  };
  interface Ended {
    held: Credential;
    end: () => Promise<void>;
  }

  test.each([
    ['the end of its key', key],
    ['the end of its session', () => member('DELETE FROM sign_in_sessions WHERE id = $1', 'sessionId')],
    ['the removal of its member', () => member('DELETE FROM members WHERE user_id = $1', 'userId')],
    ['another role of its member', () => member(`UPDATE members SET role = 'member' WHERE user_id = $1`, 'userId')],
    [
      'the end of its connected app',
      () => app(`UPDATE oauth_grants SET ended_at = now(), ended_by = 'user' WHERE id = $1`, 'grantId'),
    ],
    ['the removal of the member of its app', () => app('DELETE FROM members WHERE user_id = $1', 'userId')],
    ['another role of the same', () => app(`UPDATE members SET role = 'member' WHERE user_id = $1`, 'userId')],
  ])('%s waits for it, and a change that begins later is refused', async (_, credential) => {
    const { held, end } = await credential();
    const { db, tenant } = api.database;
    const order: string[] = [];
    let letEnd = (): void => undefined;
    const mayEnd = new Promise<void>((resolve) => (letEnd = resolve));
    let changing: Promise<void> | undefined;
    await new Promise<void>((begun) => {
      const change = async (): Promise<void> => {
        begun();
        await mayEnd;
        order.push('change');
      };
      changing = db.withEnvironment(tenant, (tx) => tx.raw(null, 'SELECT 1').then(change), { held });
    });
    const ending = end().then(() => order.push('end'));
    await expect.poll(waitingForCredentials).toBe(1);
    letEnd();
    await Promise.all([changing, ending]);
    expect(order).toEqual(['change', 'end']);
    await expect(db.withEnvironment(tenant, (tx) => tx.raw(null, 'SELECT 1'), { held })).rejects.toMatchObject({
      code: CREDENTIAL_ENDED,
    });
  });
});

test('a key that is revoked while the body of a repeat is sent does not get the reply of the first', async () => {
  const { record, key } = await api.createKey(api.database.tenant);
  const groups = '/api/v2/url-groups';
  const body = { name: 'repeated' };
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await api.call('POST', groups, { key, body, headers });
  expect(first.status).toBe(201);
  expect((await api.call('POST', groups, { key, body, headers })).text).toBe(first.text);
  await api.database.asOwner('UPDATE api_keys SET last_used_at = NULL WHERE id = $1', [record.id]);
  const seen = 'SELECT FROM api_keys WHERE id = $1 AND last_used_at IS NOT NULL';
  const repeat = await sendSlowly(
    `${api.baseUrl}${groups}`,
    'POST',
    { headers: { ...headers, Authorization: `Bearer ${key}` }, body },
    async () => {
      const looked = async (): Promise<number> => (await api.database.asOwner(seen, [record.id])).length;
      await expect.poll(looked, { interval: 10 }).toBe(1);
      await api.database.asOwner('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [record.id]);
    },
  );
  expect(statusAndCode(repeat)).toEqual([401, 'AUTHENTICATION_ERROR']);
});
