import { isPlanName, type PlanName } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

/** The plan of the transaction's workspace. Throws where the workspace does not exist. */
export async function readPlan(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<PlanName> {
  const { rows } = await tx.raw<{ rows: { plan: string }[] }>(
    'SELECT plan FROM workspaces WHERE id = current_workspace_id()',
  );
  const plan = rows[0]?.plan;
  if (plan === undefined || !isPlanName(plan)) throw new Error(`the workspace has no plan that is known: ${plan}`);
  return plan;
}
