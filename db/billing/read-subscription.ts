import { isPlanName, type PlanName } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

/** The plan of a workspace, and since when it has it. */
export interface Subscription {
  plan: PlanName;
  since: Date;
  /** When the workspace was made. */
  workspaceSince: Date;
  /** The start of the transaction, by the database's clock. */
  now: Date;
}

/** Returns the subscription of the transaction's workspace. Throws when the workspace does not exist. */
export async function readSubscription(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<Subscription> {
  const { rows } = await tx.raw<{ rows: { plan: string; since: Date; made: Date; now: Date }[] }>(
    `SELECT w.plan, COALESCE((SELECT max(p.changed_at) FROM plan_changes p WHERE p.workspace_id = w.id), w.created_at) AS since,
       w.created_at AS made, now() AS now
     FROM workspaces w WHERE w.id = current_workspace_id()`,
  );
  const row = rows[0];
  if (row === undefined || !isPlanName(row.plan))
    throw new Error(`the workspace has no plan that is known: ${row?.plan}`);
  return { plan: row.plan, since: row.since, workspaceSince: row.made, now: row.now };
}
