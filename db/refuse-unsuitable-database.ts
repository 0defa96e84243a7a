import { refusalBeforeTheBaseline } from './before-the-baseline.ts';
import type { Database } from './client.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { refuseOtherMasterKeys } from './secrets/refuse-other-master-keys.ts';
import type { Vault } from './secrets/vault.ts';

/** The database has another schema than this version needs: an older or a newer one, or one that was made before the baseline. Nothing was changed. */
export class OtherSchemaError extends Error {}

/**
 * Throws OtherSchemaError unless the database holds exactly the migrations of this version. Call it at the start of a process
 * that does not migrate: on another schema its statements would fail later, one by one, in the middle of somebody's work.
 */
export async function refuseOtherSchema(db: Database): Promise<void> {
  const row = await db.directory.row<{ readable: boolean }>(
    'refuse_other_schema',
    `SELECT to_regprocedure('public.list_applied_migrations()') IS NOT NULL AS readable`,
  );
  // The first migration makes the function: a database without it was never migrated, or is older than the baseline.
  const held = row?.readable === true ? await namesIn(db) : [];
  const refusal = refusalBeforeTheBaseline(held);
  if (refusal !== null) throw new OtherSchemaError(refusal);
  const known = MIGRATIONS.map(({ name }) => name);
  const unknown = held.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new OtherSchemaError(
      `The database was migrated by a newer version: this one does not know ${unknown.join(', ')}. Start that version, or restore a backup that was made before.`,
    );
  }
  const missing = known.filter((name) => !held.includes(name));
  if (missing.length > 0) {
    const lacks = held.length === 0 ? '' : `: it lacks ${missing.join(', ')}`;
    throw new OtherSchemaError(
      `The database is older than this version${lacks}. Run "npm run db:migrate" with the owner's login first, then start the processes.`,
    );
  }
}

async function namesIn(db: Database): Promise<string[]> {
  const rows = await db.directory.rows<{ name: string }>('names_in', 'SELECT name FROM list_applied_migrations()');
  return rows.map(({ name }) => name);
}

/** The login can bypass row-level security, or the database has not been migrated. */
export class UnsuitableLoginError extends Error {}

/**
 * Throws UnsuitableLoginError where the login is, or can become, a superuser, a role that bypasses row-level security, or the
 * owner of one of our tables: row-level security does not isolate environments from such a role.
 */
export async function refusePrivilegedLogin(db: Database): Promise<void> {
  const facts = await db.directory.row<Facts>(
    'refuse_privileged_login',
    `
    SELECT current_user AS login,
           to_regclass('public.invocations') IS NOT NULL AS migrated,
           EXISTS (SELECT FROM pg_roles r WHERE r.rolsuper AND pg_has_role(current_user, r.oid, 'MEMBER')) AS superuser,
           EXISTS (SELECT FROM pg_roles r WHERE r.rolbypassrls AND pg_has_role(current_user, r.oid, 'MEMBER')) AS bypasses,
           EXISTS (SELECT FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
                     AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns`,
  );
  if (facts === null) throw new Error('PostgreSQL said nothing of the login');
  const privileges = [
    ...(facts.superuser ? ['is a superuser'] : []),
    ...(facts.bypasses ? ['bypasses row-level security'] : []),
    ...(facts.owns ? ['owns tables of the service'] : []),
  ];
  if (privileges.length > 0) {
    throw new UnsuitableLoginError(
      `The database login "${facts.login}" ${privileges.join(' and ')}, so row-level security would not keep environments apart. Give DATABASE_URL a plain login and MIGRATION_DATABASE_URL the owner's; "npm run db:migrate" makes the plain one.`,
    );
  }
  if (!facts.migrated) {
    throw new UnsuitableLoginError('The database holds no tables of the service yet. Run "npm run db:migrate" first.');
  }
}

interface Facts {
  login: string;
  migrated: boolean;
  superuser: boolean;
  bypasses: boolean;
  owns: boolean;
}

/**
 * What every process checks that works on the database with a vault, before it does anything else there.
 *
 * @throws {UnsuitableLoginError} for a login that row-level security does not bind.
 * @throws {OtherSchemaError} for the schema of another version.
 * @throws {MasterKeysError} for another value of a master key than the database is used with.
 */
export async function refuseUnsuitableDatabase(db: Database, vault: Pick<Vault, 'keyDigests'>): Promise<void> {
  await refusePrivilegedLogin(db);
  await refuseOtherSchema(db);
  await refuseOtherMasterKeys(db, vault);
}
