import { uuidv7 } from 'uuidv7';
import { ServiceError } from '../../domain/errors.ts';
import { allowsAnotherEnvironment, isPlanName, PLAN_TABLE } from '../../domain/plans.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import type { EnvironmentKind } from './create-workspace.ts';
import { getEnvironment, type ApprovalDefault, type EnvironmentRecord } from './records.ts';

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
  const { rows } = await tx.raw<{ rows: { plan: string }[] }>(
    'SELECT plan FROM workspaces WHERE id = current_workspace_id() FOR NO KEY UPDATE',
  );
  const plan = rows[0]?.plan;
  if (plan === undefined || !isPlanName(plan)) throw new Error(`the workspace has no plan that is known: ${plan}`);
  // A statement of its own: only a new snapshot contains what was committed while this transaction waited for the lock.
  const counted = await tx.raw<{ rows: { total: number }[] }>('SELECT count(*)::int AS total FROM environments');
  if (allowsAnotherEnvironment(plan, counted.rows[0]?.total ?? 0)) return;
  const { title, environments } = PLAN_TABLE[plan];
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `The ${title} plan includes ${environments} environment${environments === 1 ? '' : 's'} in total, and the workspace has them all. A larger plan has more.`,
  });
}
