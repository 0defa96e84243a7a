import knex, { type Knex } from 'knex';
import { codeOf, databaseMessage } from '../domain/failures.ts';
import { refusalBeforeTheBaseline } from './before-the-baseline.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';
import { scramVerifierOf } from './scram-verifier.ts';

/** The database holds migrations that this version does not know. Nothing was changed. */
export class ForeignSchemaError extends Error {}

/** A migration did not get a lock in time. It has changed nothing; those before it stand. */
export class BlockedMigrationError extends Error {}

/** The application's login could not be made. The message has the server's sentence, and never the statement: a password is in it. */
export class ApplicationLoginError extends Error {}

/**
 * How long a statement of a migration waits for a lock. Meanwhile every later statement on that table stands behind it: without a bound one
 * long read would stop the service.
 */
const LOCK_WAIT_MS_MAX = 3_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** knex prints what it throws, with its stack, as a warning on standard output. */
const SILENT = { error: () => undefined, warn: () => undefined };

export interface MigrateOptions {
  /** The owner's connection. The owner creates tables and roles. */
  ownerUrl: string;
  /**
   * The application's connection. Its login role is created (with the URL's password) where it is missing, and becomes a member
   * of `service_app`.
   */
  applicationUrl: string;
  migrations?: readonly Migration[];
  lockWaitMsMax?: number;
}

/**
 * Migrates the database to the newest schema. It may run again, and from several places at once, because knex holds a lock.
 *
 * @throws {ForeignSchemaError} {BlockedMigrationError} {ApplicationLoginError}
 */
export async function migrate({
  ownerUrl,
  applicationUrl,
  migrations = MIGRATIONS,
  lockWaitMsMax = LOCK_WAIT_MS_MAX,
}: MigrateOptions): Promise<{ applied: string[] }> {
  const db = knex({ client: 'pg', connection: ownerUrl, pool: { min: 0, max: 2 }, log: SILENT });
  try {
    await refuseForeignSchema(db, migrations);
    const applied = await applyPending(db, new InCodeMigrations(migrations, lockWaitMsMax));
    await ensureApplicationLogin(db, applicationUrl);
    return { applied };
  } finally {
    await db.destroy();
  }
}

/**
 * Applies each migration in a transaction of its own: what it locks is free again before the next one begins. knex would run all in one. Its
 * lock lasts as long as that transaction, so another process that migrates takes turns with this one, and skips what this one has done.
 */
async function applyPending(db: Knex, migrationSource: InCodeMigrations): Promise<string[]> {
  const settings = { migrationSource, tableName: 'migrations' };
  const [, pending] = (await db.migrate.list(settings)) as [unknown, Migration[]];
  const applied: string[] = [];
  for (const { name } of pending) {
    try {
      const [, done] = (await db.migrate.up({ ...settings, name })) as [number, string[]];
      applied.push(...done);
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      throw new BlockedMigrationError(
        `The migration ${name} did not get a lock within ${migrationSource.lockWaitMsMax / 1_000} s: a transaction on the same table went on. It has changed nothing, and the migrations before it stand. Run it again; where that ends the same way, look for long transactions in pg_stat_activity.`,
        { cause: error },
      );
    }
  }
  return applied;
}

async function refuseForeignSchema(db: Knex, migrations: readonly Migration[]): Promise<void> {
  if (!(await db.schema.hasTable('migrations'))) return;
  const rows: { name: string }[] = await db('migrations').select('name');
  const names = rows.map((row) => row.name);
  const refusal = refusalBeforeTheBaseline(names);
  if (refusal !== null) throw new ForeignSchemaError(refusal);
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new ForeignSchemaError(
      `The database holds migrations that this version does not know (${unknown.join(', ')}). It was used by a newer version: run that one, or use another database.`,
    );
  }
}

async function ensureApplicationLogin(db: Knex, applicationUrl: string): Promise<void> {
  const { username, password } = new URL(applicationUrl);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  try {
    await db.transaction((tx) => makeApplicationLogin(tx, user, secret));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Without the cause: whoever prints an error prints its causes.
    throw new ApplicationLoginError(
      `The application's login "${user}" could not be made: ${databaseMessage(error, codeOf(error))}`,
    );
  }
}

async function makeApplicationLogin(tx: Knex, user: string, password: string): Promise<void> {
  // The second of two processes that migrate at once waits here, and then finds the login.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('application-login', 0))");
  const { rows } = await tx.raw<{ rows: { exists: boolean; self: boolean }[] }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ?) AS exists, current_user = ? AS self`,
    [user, user],
  );
  if (rows[0]?.self) return; // the owner itself: server.ts refuses to run as it
  if (!rows[0]?.exists) {
    // PostgreSQL's own log may keep the statement.
    const { rows: made } = await tx.raw<{ rows: { statement: string }[] }>(
      `SELECT format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD %L', ?::text, ?::text) AS statement`,
      [user, scramVerifierOf(password) ?? password],
    );
    if (made[0]) await tx.raw(made[0].statement.replaceAll('?', '\\?'));
  }
  await tx.raw('GRANT service_app TO ??', [user]);
}

class InCodeMigrations implements Knex.MigrationSource<Migration> {
  readonly lockWaitMsMax: number;
  readonly #migrations: readonly Migration[];

  constructor(migrations: readonly Migration[], lockWaitMsMax: number) {
    this.#migrations = migrations;
    this.lockWaitMsMax = lockWaitMsMax;
  }

  getMigrations(): Promise<Migration[]> {
    return Promise.resolve([...this.#migrations]);
  }
  getMigrationName(migration: Migration): string {
    return migration.name;
  }
  getMigration(migration: Migration): Promise<Knex.Migration> {
    return Promise.resolve({
      up: async (tx: Knex) => {
        // Set here, and not for the connection: a wait for knex's own lock lasts as long as the other process migrates.
        await tx.raw(`SET LOCAL lock_timeout = ${this.lockWaitMsMax}`);
        await migration.up(tx);
      },
      down: () => Promise.reject(new Error('migrations go forward only: restore a backup instead')),
    });
  }
}
