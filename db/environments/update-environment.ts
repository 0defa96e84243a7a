import type { WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { nameTaken } from '../taken.ts';
import { ENVIRONMENT_COLUMNS, getEnvironment, type ApprovalDefault, type EnvironmentRecord } from './records.ts';

export interface EnvironmentChange {
  name?: string;
  protected?: boolean;
  /** Null: the default of the environment's kind. */
  approvalDefault?: ApprovalDefault | null;
}

/**
 * Changes an environment and returns it before and after. Null where the workspace has no such environment.
 *
 * @throws {ServiceError} CONFLICT where the name is taken.
 */
export async function updateEnvironment(
  tx: WorkspaceTransaction,
  id: string,
  change: EnvironmentChange,
): Promise<{ before: EnvironmentRecord; after: EnvironmentRecord } | null> {
  const locked = await tx.raw<{ rows: EnvironmentRecord[] }>(
    `SELECT ${selected(ENVIRONMENT_COLUMNS)} FROM environments WHERE id = ? FOR NO KEY UPDATE`,
    [id],
  );
  const before = locked.rows[0];
  if (before === undefined) return null;
  const { name = before.name, protected: isProtected = before.protected } = change;
  const approvalDefault = change.approvalDefault === undefined ? before.approvalDefault : change.approvalDefault;
  if (name === before.name && isProtected === before.protected && approvalDefault === before.approvalDefault) {
    return { before, after: before };
  }
  await tx
    .raw('UPDATE environments SET name = ?, protected = ?, approval_default = ? WHERE id = ?', [
      name,
      isProtected,
      approvalDefault,
      id,
    ])
    .catch(nameTaken('environments_workspace_id_name_key', name));
  const after = await getEnvironment(tx, id);
  if (after === null) throw new Error(`environment ${id} was locked and is gone`);
  return { before, after };
}
