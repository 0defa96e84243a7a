import { refusalBeforeTheBaseline } from './before-the-baseline.ts';
import type { Database } from './client.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** The database has another schema than this version needs: an older or a newer one, or one that was made before the baseline. Nothing was changed. */
export class OtherSchemaError extends Error {}

/**
 * Throws OtherSchemaError unless the database holds exactly the migrations of this version. Call it at the start of a process
 * that does not migrate: on another schema its statements would fail later, one by one, in the middle of somebody's work.
 */
export async function refuseOtherSchema(db: Database): Promise<void> {
  const { rows: granted } = await db.directory.raw<{ rows: { readable: boolean }[] }>(
    `SELECT to_regprocedure('public.list_applied_migrations()') IS NOT NULL AS readable`,
  );
  // The first migration makes the function: a database without it was never migrated, or is older than the baseline.
  const held = granted[0]?.readable === true ? await namesIn(db) : [];
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
  const { rows } = await db.directory.raw<{ rows: { name: string }[] }>('SELECT name FROM list_applied_migrations()');
  return rows.map(({ name }) => name);
}
