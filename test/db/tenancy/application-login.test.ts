import { inspect } from 'node:util';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { ApplicationLoginError, migrate } from '../../../db/migrate.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { createPlainlyOwnedDatabase } from './plain-owner.ts';

/** The migration makes the application's login. Its password is in no error, and in no statement that a log of PostgreSQL could keep. */

const migrateFor = (applicationUrl: string): Promise<unknown> =>
  migrate({ ownerUrl: database.ownerUrl, applicationUrl });

const database = await createPlainlyOwnedDatabase();
await migrateFor(database.applicationUrl);

/** Works with the URL of a login that is not there yet, and removes the login. */
async function withLogin(password: string, work: (url: string, user: string) => Promise<void>): Promise<void> {
  const url = new URL(database.applicationUrl);
  const user = `${url.username}_login`;
  url.username = user;
  url.password = encodeURIComponent(password);
  try {
    await work(url.href, user);
  } finally {
    await database.superuser.query(`DROP ROLE IF EXISTS ${user}`);
  }
}

it.each([
  ['letters', 'an0ther'],
  ['signs', `it's \\ % ? $1 - "x"\t:@/`],
  ['letters with accents', 'pässwörd ½'],
])('a login with a password of %s signs in, and PostgreSQL keeps a verifier', (_name, password) =>
  withLogin(password, async (url, user) => {
    await migrateFor(url);
    const login = new Client({ connectionString: url });
    await login.connect();
    await login.end();
    const { rows } = await database.superuser.query('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [user]);
    expect(rows).toEqual([{ rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$4096:/) as string }]);
  }),
);

it.each([
  ['letters', 'an0ther'],
  ['accents', 'pässwörd'],
  ['a character that PostgreSQL refuses', 'se\0cret'],
])('a failure with a password of %s says why, and nothing of the password', (_name, password) =>
  withLogin(password, async (url, user) => {
    const owner = new URL(database.ownerUrl).username;
    await database.superuser.query(`ALTER ROLE ${owner} NOCREATEROLE`);
    const failure: unknown = await migrateFor(url).catch((error: unknown) => error);
    await database.superuser.query(`ALTER ROLE ${owner} CREATEROLE`);
    expect(failure).toBeInstanceOf(ApplicationLoginError);
    expect(String(failure)).toMatch(new RegExp(`login "${user}" could not be made: (permission denied|invalid byte)`));
    // With its causes, as Node prints an error that nobody caught.
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/PASSWORD|SCRAM|an0ther|pässwörd|cret/);
  }),
);

it('of two processes that migrate at once one makes the login, by a statement without the password', () =>
  withLogin('an0ther', async (url) => {
    const { superuser } = database;
    // Both look for the login, and none can make it yet.
    await superuser.query('BEGIN; LOCK TABLE pg_authid IN SHARE ROW EXCLUSIVE MODE');
    const both = Promise.allSettled([migrateFor(url), migrateFor(url)]);
    const waiting = async (): Promise<string[]> => {
      await superuser.query('SELECT pg_stat_clear_snapshot()'); // a transaction sees what it has seen before
      const { rows } = await superuser.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.map(({ query }) => query);
    };
    await expect.poll(waiting, { timeout: PATIENCE_MS }).toHaveLength(2);
    const statements = (await waiting()).join('\n');
    await superuser.query('COMMIT');
    expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(statements).toContain('CREATE ROLE');
    expect(statements).not.toContain('an0ther');
  }));
