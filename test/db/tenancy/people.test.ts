import type { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { plantPeople } from '../members/planted-rows.ts';

/** Users and their sessions belong to no workspace. `app.user_id` restricts their rows. */
describe('rows of people', () => {
  let database: TestDatabase;
  let owner: Client;
  let me: string;
  let colleague: string;
  let stranger: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    owner = await database.connectOwner();
    me = (await plantPeople(owner, database.tenant)).userId;
    colleague = (await plantPeople(owner, database.tenant)).userId;
    stranger = (await plantPeople(owner, (await database.anotherWorkspace()).development)).userId;
  });
  const ids = (rows: { id: string }[]): string[] => rows.map((row) => row.id);

  it('begins an attempt of a bucket that a sign-in elsewhere wants to delete at that moment', async () => {
    const begin = () =>
      database.asOwner("SELECT begin_sign_in_attempt(sha256('a'), 5, '1 s', '1 min', '1 h') AS until");
    await begin();
    await database.asOwner(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END $$;
      CREATE TRIGGER hold AFTER INSERT ON sign_in_throttles FOR EACH STATEMENT EXECUTE FUNCTION hold()`);
    await owner.query('SELECT pg_advisory_lock(4711)');
    const begun = begin(); // it has found the row, and waits
    const waits = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 4711`;
    await expect.poll(async () => (await owner.query(waits)).rowCount, { timeout: PATIENCE_MS }).toBe(1);
    const deletion = "SET lock_timeout = '100ms'; DELETE FROM sign_in_throttles WHERE key = sha256('a')";
    const refusal = await database.asOwner(deletion).catch((error: Error) => error.message);
    await owner.query('SELECT pg_advisory_unlock(4711)');
    expect([await begun, refusal]).toEqual([[{ until: null }], 'canceling statement due to lock timeout']);
    await database.asOwner('DROP TRIGGER hold ON sign_in_throttles; DROP FUNCTION hold()');
  });

  it('shows a user themselves and their sessions, and nobody else', async () => {
    await database.db.withUser(me, async (tx) => {
      const { rows: users } = await tx.raw<{ rows: { id: string }[] }>(null, 'SELECT id FROM users');
      const { rows: sessions } = await tx.raw<{ rows: { id: string }[] }>(
        null,
        'SELECT DISTINCT user_id AS id FROM sign_in_sessions',
      );
      expect([ids(users), ids(sessions)]).toEqual([[me], [me]]);
    });
  });

  it('shows a workspace its members, and none of their sessions', async () => {
    await database.db.withWorkspace(database.tenant.workspaceId, async (tx) => {
      const { rows: users } = await tx.raw<{ rows: { id: string }[] }>(null, 'SELECT id FROM users');
      const { rows: sessions } = await tx.raw<{ rows: { id: string }[] }>(null, 'SELECT id FROM sign_in_sessions');
      expect([new Set(ids(users)), ids(sessions)]).toEqual([new Set([me, colleague]), []]);
      expect(ids(users)).not.toContain(stranger);
    });
  });

  it('lets nobody change another user, also of the same workspace, nor a session of theirs', async () => {
    const { workspaceId } = database.tenant;
    const change = (): Promise<unknown> =>
      database.db.withMember({ userId: me, workspaceId }, (tx) =>
        tx.raw(null, "UPDATE users SET name = 'x' WHERE id = ?", [colleague]),
      );
    await expect(change()).rejects.toThrow(/row-level security/);
    await database.db.withMember({ userId: me, workspaceId }, async (tx) => {
      const { rowCount } = await tx.raw<{ rowCount: number }>(null, 'DELETE FROM sign_in_sessions WHERE user_id = ?', [
        colleague,
      ]);
      expect(rowCount).toBe(0);
    });
  });

  it.each(['users', 'sign_in_sessions'])('shows nothing of %s without a user or a workspace', async (table) => {
    const { rows } = await database.db.directory.raw<{ rows: { count: number }[] }>(
      null,
      `SELECT count(*)::int AS count FROM ${table}`,
    );
    expect(rows[0]?.count).toBe(0);
  });

  it.each([
    ['a password hash', 'SELECT password_hash FROM users'],
    ['the throttle', 'SELECT * FROM sign_in_throttles'],
    ['an e-mail address into another', "UPDATE users SET email = 'x@example.test'"],
  ])('never gives the application %s', async (_what, statement) => {
    await expect(database.db.withUser(me, (tx) => tx.raw(null, statement))).rejects.toThrow(/permission denied/);
  });

  it('keeps the last owner of a workspace, whoever asks, also when two owners go at once', async () => {
    const { workspaceId } = database.tenant;
    const demote = (userId: string): Promise<unknown> =>
      database.db.withWorkspace(workspaceId, (tx) =>
        tx.raw(null, "UPDATE members SET role = 'member' WHERE user_id = ?", [userId]),
      );
    const settled = await Promise.allSettled([demote(me), demote(colleague)]);
    expect(settled.filter((one) => one.status === 'rejected').length).toBeGreaterThanOrEqual(1);
    const { rows } = await owner.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM members WHERE workspace_id = $1 AND role = 'owner'",
      [workspaceId],
    );
    expect(rows[0]?.count).toBeGreaterThanOrEqual(1);
  });

  it('takes one e-mail address once, in whatever case', async () => {
    const [row] = await database.asOwner<{ email: string }>('SELECT email FROM users WHERE id = $1', [me]);
    await expect(
      database.asOwner("INSERT INTO users (id, email, name, password_hash) VALUES ('usr_x', $1, 'x', 'x')", [
        row?.email.toUpperCase(),
      ]),
    ).rejects.toThrow(/users_by_email/);
  });
});
