import type { EnvironmentTransaction } from '../client.ts';

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
  const { rows: locked } = await tx.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM actions WHERE name = ANY(?) AND archived_at IS NULL ORDER BY id FOR UPDATE',
    [names],
  );
  if (locked.length === 0) return new Map();
  const { rows } = await tx.raw<{ rows: Row[] }>(
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
