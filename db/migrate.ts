import knex, { type Knex } from 'knex';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

/** The database holds migrations that this version does not know. Nothing was changed. */
export class ForeignSchemaError extends Error {}

/**
 * Every database of before the release's baseline holds one of these names, and none after it does. The areas are now `0005-vault`
 * and `0021-in-flight-permits`.
 */
const BEFORE_THE_BASELINE = ['0002-vault', '0021-in-flight'];

export interface MigrateOptions {
  /** The owner's connection. The owner creates tables and roles. */
  ownerUrl: string;
  /**
   * The application's connection. Its login role is created (with the URL's password) where it is missing, and becomes a member
   * of `service_app`.
   */
  applicationUrl: string;
}

/** Migrates the database to the newest schema. It may run again, and from several places at once, because knex holds a lock. */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const db = knex({ client: 'pg', connection: options.ownerUrl, pool: { min: 0, max: 2 } });
  try {
    await refuseForeignSchema(db);
    const [, applied] = (await db.migrate.latest({
      migrationSource: new InCodeMigrations(),
      tableName: 'migrations',
    })) as [number, string[]];
    await ensureApplicationLogin(db, options.applicationUrl);
    return { applied };
  } finally {
    await db.destroy();
  }
}

async function refuseForeignSchema(db: Knex): Promise<void> {
  if (!(await db.schema.hasTable('migrations'))) return;
  const known = new Set(MIGRATIONS.map((migration) => migration.name));
  const rows: { name: string }[] = await db('migrations').select('name');
  const unknown = rows.map((row) => row.name).filter((name) => !known.has(name));
  if (BEFORE_THE_BASELINE.some((name) => unknown.includes(name))) {
    throw new ForeignSchemaError(
      `The database was made by a checkout of before the first release, and its migrations were since replaced by a baseline. It cannot be brought forward: ${MAKE_ANEW}`,
    );
  }
  if (unknown.length > 0) {
    throw new ForeignSchemaError(
      `The database holds migrations that this version does not know (${unknown.join(', ')}). It was used by a newer version: run that one, or use another database.`,
    );
  }
}

const MAKE_ANEW =
  'remove the folder DATA_DIR (.local) and start again, or, where DATABASE_URL is set, give an empty database. Its records and secrets are lost with it.';

async function ensureApplicationLogin(db: Knex, applicationUrl: string): Promise<void> {
  const url = new URL(applicationUrl);
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const { rows } = await db.raw<{ rows: { exists: boolean; self: boolean }[] }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ?) AS exists, current_user = ? AS self`,
    [user, user],
  );
  if (rows[0]?.self) return; // the owner itself: server.ts refuses to run as it
  if (!rows[0]?.exists) {
    const { rows: made } = await db.raw<{ rows: { statement: string }[] }>(
      `SELECT format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD %L', ?::text, ?::text) AS statement`,
      [user, password],
    );
    if (made[0]) await db.raw(made[0].statement.replaceAll('?', '\\?'));
  }
  await db.raw('GRANT service_app TO ??', [user]);
}

class InCodeMigrations implements Knex.MigrationSource<Migration> {
  getMigrations(): Promise<Migration[]> {
    return Promise.resolve([...MIGRATIONS]);
  }
  getMigrationName(migration: Migration): string {
    return migration.name;
  }
  getMigration(migration: Migration): Promise<Knex.Migration> {
    return Promise.resolve({
      up: (tx: Knex) => migration.up(tx),
      down: () => Promise.reject(new Error('migrations go forward only: restore a backup instead')),
    });
  }
}
