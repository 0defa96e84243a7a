import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../names.ts';
import type { VersionAuthor } from './records.ts';

/** Serializes imports into one environment, so that the later one sees what the earlier one created. */
export async function lockImports(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'lock_imports',
    "SELECT pg_advisory_xact_lock(hashtextextended('actions.import/' || current_environment_id(), 0))",
  );
}

/** What an import needs to know about a live action. The definition is read only where the digest differs. */
export interface NamedAction {
  id: string;
  name: string;
  description: string | null;
  currentVersion: { id: string; number: number; digest: string };
  governed: boolean;
  /** The change note of version 1. For an imported action it says which document it was made from. */
  firstNote: string | null;
}

interface Row {
  id: string;
  name: string;
  description: string | null;
  versionId: string;
  number: number;
  digest: string;
  governed: boolean;
  firstNote: string | null;
}

/**
 * Locks the live actions with these names until the transaction ends, in the order of their ids, and then reads them. Lock and
 * read are two statements for the same reason as in `lockAction`.
 */
export async function lockNamedActions(
  tx: EnvironmentTransaction,
  names: readonly string[],
): Promise<Map<string, NamedAction>> {
  const locked = await tx.rows<{ id: string }>(
    'lock_named_actions',
    'SELECT id FROM actions WHERE name = ANY(?) AND archived_at IS NULL ORDER BY id FOR UPDATE',
    [names],
  );
  if (locked.length === 0) return new Map();
  const rows = await tx.rows<Row>(
    'lock_named_actions_2',
    `SELECT a.id, a.name, a.description, v.id AS "versionId", v.number, v.digest,
       CAST(v.definition ->> 'governed' AS boolean) AS governed, f.change_note AS "firstNote"
     FROM actions a
       JOIN action_versions v ON v.id = a.current_version_id
       JOIN action_versions f ON f.action_id = a.id AND f.number = 1
     WHERE a.id = ANY(?)`,
    [locked.map(({ id }) => id)],
  );
  return new Map(
    rows.map(({ versionId, number, digest, ...action }) => [
      action.name,
      { ...action, currentVersion: { id: versionId, number, digest } },
    ]),
  );
}

/**
 * Releases those of `names` that another action gave up while it was governed or required approval, and that an action of this
 * transaction has now. Returns the released names. The caller checks the scope, and rolls back if it is missing. Call it after the names
 * are written.
 *
 * A transaction that gives up a name holds it until it commits, so the unique index makes the new holder wait, and this function then
 * finds the released row. A deferred trigger refuses to commit a name that was not released.
 */
export async function takeGovernedNames(tx: EnvironmentTransaction, names: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ name: string }>(
    'take_governed_names',
    'DELETE FROM governed_names WHERE name = ANY(?) RETURNING name',
    [names],
  );
  return rows.map(({ name }) => name).toSorted();
}

/** A version whose definition is already JSON text: an import of many operations does not build all of them as objects. */
export interface ImportedVersion {
  definitionJson: string;
  digest: string;
  changeNote: string;
}

export interface ImportedAction {
  name: string;
  description: string | null;
  version: ImportedVersion;
}

/** An action that `lockNamedActions` has locked. Without a version, only its description changes. */
export interface ImportedChange {
  id: string;
  description: string | null;
  version: (ImportedVersion & { number: number }) | null;
}

interface VersionRow extends ImportedVersion {
  id: string;
  actionId: string;
  number: number;
}

/**
 * Creates many actions, each with its version 1, in two statements. Throws CONFLICT where another transaction created a live
 * action with one of the names after `lockNamedActions` looked.
 */
export async function insertImportedActions(
  tx: EnvironmentTransaction,
  actions: readonly ImportedAction[],
  createdBy: VersionAuthor,
): Promise<void> {
  const rows = actions.map((action) => ({ ...action, id: newId('action'), versionId: newId('actionVersion') }));
  await tx
    .raw(
      'insert_imported_actions',
      `INSERT INTO actions (id, environment_id, name, description, current_version_id)
       SELECT row.id, current_environment_id(), row.name, row.description, row."versionId"
       FROM jsonb_to_recordset(CAST(? AS jsonb)) AS row(id text, name text, description text, "versionId" text)`,
      [JSON.stringify(rows.map(({ id, name, description, versionId }) => ({ id, name, description, versionId })))],
    )
    .catch(nameTaken('actions_live_name', rows.length === 1 ? (rows[0]?.name ?? '') : 'of the document'));
  const versions = rows.map(({ id, versionId, version }) => ({ ...version, id: versionId, actionId: id, number: 1 }));
  await insertVersions(tx, versions, createdBy);
}

/** Changes many locked actions, in two statements. */
export async function updateImportedActions(
  tx: EnvironmentTransaction,
  changes: readonly ImportedChange[],
  createdBy: VersionAuthor,
): Promise<void> {
  const rows = changes.map((change) => ({
    ...change,
    versionId: change.version === null ? null : newId('actionVersion'),
  }));
  const versions = rows.flatMap(({ id, version, versionId }) =>
    version === null || versionId === null ? [] : [{ ...version, id: versionId, actionId: id }],
  );
  await insertVersions(tx, versions, createdBy);
  await tx.raw(
    'update_imported_actions',
    `UPDATE actions SET description = row.description, updated_at = now(),
       current_version_id = COALESCE(row."versionId", actions.current_version_id)
     FROM jsonb_to_recordset(CAST(? AS jsonb)) AS row(id text, description text, "versionId" text)
     WHERE actions.id = row.id`,
    [JSON.stringify(rows.map(({ id, description, versionId }) => ({ id, description, versionId })))],
  );
}

async function insertVersions(
  tx: EnvironmentTransaction,
  versions: readonly VersionRow[],
  createdBy: VersionAuthor,
): Promise<void> {
  if (versions.length === 0) return;
  const rows = versions.map(({ definitionJson, ...row }) => {
    const members = JSON.stringify(row);
    return `${members.slice(0, -1)},"definition":${definitionJson}}`;
  });
  await tx.raw(
    'insert_versions',
    `INSERT INTO action_versions (id, environment_id, action_id, number, digest, definition, change_note, created_by)
     SELECT row.id, current_environment_id(), row."actionId", row.number, row.digest, row.definition, row."changeNote",
       CAST(:createdBy AS jsonb)
     FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS row(id text, "actionId" text, number integer, digest text,
       definition jsonb, "changeNote" text)`,
    { rows: `[${rows.join(',')}]`, createdBy: JSON.stringify(createdBy) },
  );
}
