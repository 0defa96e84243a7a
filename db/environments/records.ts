import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import type { EnvironmentKind } from './create-workspace.ts';

export const APPROVAL_DEFAULTS = ['allow', 'require_approval'] as const;
export type ApprovalDefault = (typeof APPROVAL_DEFAULTS)[number];

export interface EnvironmentRecord {
  id: string;
  name: string;
  kind: EnvironmentKind;
  protected: boolean;
  /** The decision where neither a policy nor the action makes one. Null: the default of the environment's kind. */
  approvalDefault: ApprovalDefault | null;
  haltedAt: Date | null;
  haltedReason: string | null;
  createdAt: Date;
}

export const ENVIRONMENT_COLUMNS = {
  id: 'environments.id',
  name: 'environments.name',
  kind: 'environments.kind',
  protected: 'environments.protected',
  approvalDefault: 'environments.approval_default',
  haltedAt: 'environments.halted_at',
  haltedReason: 'environments.halted_reason',
  createdAt: 'environments.created_at',
} as const;

/** An environment of the transaction's workspace, or null. */
export async function getEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
): Promise<EnvironmentRecord | null> {
  const { rows } = await tx.raw<{ rows: EnvironmentRecord[] }>(
    `SELECT ${selected(ENVIRONMENT_COLUMNS)} FROM environments WHERE id = ?`,
    [id],
  );
  return rows[0] ?? null;
}
