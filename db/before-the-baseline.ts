/** The first migration of each database that was made before the baseline. The baseline begins with `0001-workspaces`. */
const FIRST_BEFORE_THE_BASELINE = '0001-tenancy';

/**
 * The message for a database that was made before the first release, whose migrations a baseline has replaced since; null for every other
 * database. Most names of those migrations are also names in the baseline, where they stand for other tables. So such a database is never
 * brought forward.
 */
export function refusalBeforeTheBaseline(names: readonly string[]): string | null {
  if (!names.includes(FIRST_BEFORE_THE_BASELINE)) return null;
  return 'The database was made before the first release. A baseline has replaced its migrations, so it cannot be brought forward: remove the folder DATA_DIR (.local) and start again, or, where DATABASE_URL is set, give an empty database. The records and secrets in the old database are then lost.';
}
