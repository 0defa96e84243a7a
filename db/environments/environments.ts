import { uuidv7 } from 'uuidv7';
import { ServiceError } from '../../domain/errors.ts';
import { allowsAnotherEnvironment, isPlanName, PLAN_TABLE } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { nameTaken } from '../names.ts';
import type { EnvironmentKind } from './workspaces.ts';

export const APPROVAL_DEFAULTS = ['allow', 'require_approval'] as const;
type ApprovalDefault = (typeof APPROVAL_DEFAULTS)[number];

export interface EnvironmentRecord {
  id: string;
  name: string;
  kind: EnvironmentKind;
  protected: boolean;
  /** What a person decides or changes here takes a passkey. */
  requireSecondFactor: boolean;
  /** The decision where neither a policy nor the action makes one. Null selects the default of the environment's kind. */
  approvalDefault: ApprovalDefault | null;
  haltedAt: Date | null;
  haltedReason: string | null;
  createdAt: Date;
}

const ENVIRONMENT_COLUMNS = {
  id: 'environments.id',
  name: 'environments.name',
  kind: 'environments.kind',
  protected: 'environments.protected',
  requireSecondFactor: 'environments.require_second_factor',
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
  return tx.row<EnvironmentRecord>(
    'get_environment',
    `SELECT ${selected(ENVIRONMENT_COLUMNS)} FROM environments WHERE id = ?`,
    [id],
  );
}

/** One page of the workspace's environments, newest first, with the total count. */
export async function listEnvironments(tx: WorkspaceTransaction, range: Range): Promise<Page<EnvironmentRecord>> {
  return pageOf(tx, {
    name: 'list_environments',
    columns: selected(ENVIRONMENT_COLUMNS),
    from: 'environments',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}

export interface NewEnvironment {
  workspaceId: string;
  name: string;
  kind: EnvironmentKind;
  protected: boolean;
  approvalDefault: ApprovalDefault | null;
}

/**
 * Creates an environment within the plan's limit. The workspace's row is locked first, so that concurrent creations, and a change
 * of plan, are counted one after the other.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED, 429, at the plan's limit; CONFLICT where the name is taken.
 */
export async function createEnvironment(tx: WorkspaceTransaction, input: NewEnvironment): Promise<EnvironmentRecord> {
  await requireRoom(tx);
  const id = uuidv7();
  await tx
    .raw(
      'create_environment',
      `INSERT INTO environments (id, workspace_id, name, kind, protected, approval_default)
       VALUES (:id, :workspaceId, :name, :kind, :protected, :approvalDefault)`,
      { ...input, id },
    )
    .catch(nameTaken('environments_workspace_id_name_key', input.name));
  const created = await getEnvironment(tx, id);
  if (created === null) throw new Error(`environment ${id} was made and is gone`);
  return created;
}

async function requireRoom(tx: WorkspaceTransaction): Promise<void> {
  const rows = await tx.rows<{ plan: string }>(
    'environments_require_room',
    'SELECT plan FROM workspaces WHERE id = current_workspace_id() FOR NO KEY UPDATE',
  );
  const plan = rows[0]?.plan;
  if (plan === undefined || !isPlanName(plan)) throw new Error(`the workspace has no plan that is known: ${plan}`);
  // A statement of its own: only a new snapshot contains what was committed while this transaction waited for the lock.
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    'environments_require_room_total',
    'SELECT count(*)::int AS total FROM environments',
  );
  if (allowsAnotherEnvironment(plan, counted.rows[0]?.total ?? 0)) return;
  const { title, environments } = PLAN_TABLE[plan];
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `The ${title} plan includes ${environments} environment${environments === 1 ? '' : 's'} in total, and the workspace has them all. A larger plan has more.`,
  });
}

export interface EnvironmentChange {
  name?: string;
  protected?: boolean;
  requireSecondFactor?: boolean;
  /** Null selects the default of the environment's kind. */
  approvalDefault?: ApprovalDefault | null;
}

export const CHANGEABLE = ['name', 'protected', 'requireSecondFactor', 'approvalDefault'] as const;

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
    'update_environment',
    `SELECT ${selected(ENVIRONMENT_COLUMNS)} FROM environments WHERE id = ? FOR NO KEY UPDATE`,
    [id],
  );
  const before = locked.rows[0];
  if (before === undefined) return null;
  const wanted = { ...before, ...change };
  const { name, approvalDefault, requireSecondFactor } = wanted;
  if (CHANGEABLE.every((member) => wanted[member] === before[member])) return { before, after: before };
  await tx
    .raw(
      'update_environment_2',
      'UPDATE environments SET name = ?, protected = ?, approval_default = ?, require_second_factor = ? WHERE id = ?',
      [name, wanted.protected, approvalDefault, requireSecondFactor, id],
    )
    .catch(nameTaken('environments_workspace_id_name_key', name));
  const after = await getEnvironment(tx, id);
  if (after === null) throw new Error(`environment ${id} was locked and is gone`);
  return { before, after };
}
