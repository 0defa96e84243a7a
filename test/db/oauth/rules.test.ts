import { randomBytes } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { consumeArtifact, findArtifact, putArtifact } from '../../../db/oauth/artifacts.ts';
import { registerClient, REGISTRATIONS_PER_HOUR_MAX } from '../../../db/oauth/clients.ts';
import { countGrantsOfUser, createGrant, endGrant, findGrant } from '../../../db/oauth/grants.ts';
import { addOAuthKey, listOAuthKeys, oauthKeyAssociatedData, rewrapOAuthKeys } from '../../../db/oauth/signing-keys.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { newId } from '../../../domain/ids.ts';
import { newGrant, plantGrant } from '../../api/oauth/planted-grant.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

/** What the database itself holds of OAuth. */
const database = await createTestDatabase();
const userId = newId('user');
const email = `${userId}@example.test`.toLowerCase();
await database.asOwner("INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'Grace', 'none')", [
  userId,
  email,
]);
await database.asOwner("INSERT INTO members (workspace_id, user_id, role) VALUES ($1, $2, 'member')", [
  database.tenant.workspaceId,
  userId,
]);

describe('the application', () => {
  it.each(['oauth_artifacts', 'oauth_clients', 'oauth_signing_keys'])('does not read %s by itself', async (table) => {
    const read = database.db.withEnvironment(database.tenant, (tx) => tx.raw(null, `SELECT * FROM ${table}`));
    await expect(read).rejects.toThrow(/permission denied/);
  });

  it('cannot change what a grant allows, nor bring one back', async () => {
    const id = await plantGrant(database, database.tenant, userId);
    const asApplication = (sql: string): Promise<unknown> =>
      database.db.withEnvironment(database.tenant, (tx) => tx.raw(null, sql, [id]));
    await expect(asApplication("UPDATE oauth_grants SET scopes = '{secrets:write}' WHERE id = ?")).rejects.toThrow(
      /permission denied/,
    );
    expect(await findGrant(database.db, id)).toMatchObject({ userId, resource: 'mcp' });
    expect(await database.db.withUser(userId, (tx) => endGrant(tx, id, 'user'))).toBe(true);
    expect(await findGrant(database.db, id)).toBeNull();
    await expect(
      asApplication('UPDATE oauth_grants SET ended_at = NULL, ended_by = NULL WHERE id = ?'),
    ).rejects.toThrow(/stays ended/);
  });
});

test('the apps of a user are counted in every workspace, and by one consent at a time', async () => {
  const { db, tenant } = database;
  const { development: elsewhere } = await database.anotherWorkspace();
  const join = (): Promise<unknown> =>
    database.asOwner(
      "INSERT INTO members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now() - interval '1 hour')",
      [elsewhere.workspaceId, userId],
    );
  await join();
  const counted = (): Promise<number> => db.withEnvironment(tenant, (tx) => countGrantsOfUser(tx, userId));
  const before = await counted();
  await plantGrant(database, elsewhere, userId);
  await endGrantOf(await plantGrant(database, elsewhere, userId));
  expect(await counted()).toBe(before + 1);

  const ends: string[] = [];
  let second = Promise.resolve(0);
  await db.withEnvironment(elsewhere, async (tx) => {
    expect(await countGrantsOfUser(tx, userId)).toBe(before + 1);
    second = counted().finally(() => ends.push('second'));
    await expect.poll(waitsForLock, { timeout: PATIENCE_MS }).toBe(true);
    await createGrant(tx, newGrant(elsewhere, userId));
    ends.push('first');
  });
  expect([await second, ends]).toEqual([before + 2, ['first', 'second']]);

  // What was connected there before they left gives nothing, nor once they are back, and takes no place.
  await database.asOwner(
    "UPDATE oauth_grants SET created_at = created_at - interval '2 hours' WHERE workspace_id = $1",
    [elsewhere.workspaceId],
  );
  expect(await counted()).toBe(before);
  await plantGrant(database, elsewhere, userId);
  expect(await counted()).toBe(before + 1);
});

const endGrantOf = (id: string): Promise<unknown> => database.db.withUser(userId, (tx) => endGrant(tx, id, 'user'));

async function waitsForLock(): Promise<boolean> {
  const rows = await database.asOwner(
    `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
     WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`,
  );
  return rows.length > 0;
}

test('a code is consumed by one of many', async () => {
  const { db } = database;
  const grantId = await plantGrant(database, database.tenant, userId);
  const value = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + 60_000);
  await putArtifact(db, { value, kind: 'AuthorizationCode', grantId, payload: { grantId }, expiresAt });
  expect(await findArtifact(db, 'RefreshToken', value)).toBeNull();
  const won = await Promise.all(Array.from({ length: 5 }, () => consumeArtifact(db, 'AuthorizationCode', value)));
  expect(won.filter(Boolean)).toHaveLength(1);
  expect((await findArtifact(db, 'AuthorizationCode', value))?.consumedAt).toBeInstanceOf(Date);
});

test('one address registers so many apps an hour, and another is not held up', async () => {
  const register = (address: string): ReturnType<typeof registerClient> =>
    registerClient(database.db, { id: randomBytes(8).toString('hex'), metadata: {}, address });
  const many = await Promise.all(Array.from({ length: REGISTRATIONS_PER_HOUR_MAX + 5 }, () => register('192.0.2.1')));
  expect(many.filter((answer) => answer === 'registered')).toHaveLength(REGISTRATIONS_PER_HOUR_MAX);
  expect(many.filter((answer) => answer === 'throttled')).toHaveLength(5);
  expect(await register('192.0.2.2')).toBe('registered');
  // A subscriber has all addresses of an IPv6 /64.
  const rotating = Array.from({ length: REGISTRATIONS_PER_HOUR_MAX + 5 }, (_, number) =>
    register(`2001:db8::${number + 1}`),
  );
  expect((await Promise.all(rotating)).filter((answer) => answer === 'throttled')).toHaveLength(5);
  expect(await register('2001:db8:0:1::1')).toBe('registered');
});

test('a signing key is made once, sealed, and rewrapped under a new master key', async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'));
  const before = Vault.fromMasterKeys(`1:${old}`);
  const add = (id: string): Promise<boolean> =>
    addOAuthKey(database.db, { id, ...before.seal(oauthKeyAssociatedData(id), 'the key') });
  expect((await Promise.all([add('a'), add('b')])).filter(Boolean)).toHaveLength(1);
  const [first] = await listOAuthKeys(database.db);
  // Beside a key that is not named nothing is added, whatever else is named.
  expect(await addOAuthKey(database.db, { id: 'c', ...before.seal(oauthKeyAssociatedData('c'), 'x') }, ['d'])).toBe(
    false,
  );
  expect(await listOAuthKeys(database.db)).toEqual([first]);
  const both = Vault.fromMasterKeys(`1:${old},2:${next}`);
  expect(await rewrapOAuthKeys(database.db, both, () => expect.unreachable())).toBe(1);
  expect(await rewrapOAuthKeys(database.db, both, () => expect.unreachable())).toBe(0);
  const [key] = await listOAuthKeys(database.db);
  if (key === undefined) throw new Error('the key is gone');
  expect(Vault.fromMasterKeys(`2:${next}`).open(oauthKeyAssociatedData(key.id), key)).toBe('the key');
});
