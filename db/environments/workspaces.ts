import { uuidv7 } from 'uuidv7';
import type { PlanName } from '../../domain/plans.ts';
import type { Database } from '../client.ts';

export const ENVIRONMENT_KINDS = ['development', 'staging', 'production'] as const;
export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

export interface CreatedEnvironment {
  id: string;
  name: string;
  kind: EnvironmentKind;
}

export interface CreatedWorkspace {
  workspaceId: string;
  environments: CreatedEnvironment[];
}

const ENVIRONMENT_NAMES: Record<EnvironmentKind, string> = {
  development: 'Development',
  staging: 'Staging',
  production: 'Production',
};

/**
 * Creates a workspace with its default environment, a protected Production, in one transaction (docs/environments.md). The
 * embedded stack asks for one environment of each kind; the plan's limit applies to those that are created later.
 */
export async function createWorkspace(
  db: Database,
  name: string,
  plan: PlanName,
  kinds: readonly EnvironmentKind[] = ['production'],
): Promise<CreatedWorkspace> {
  const workspaceId = uuidv7();
  const environments = kinds.map((kind) => ({ id: uuidv7(), name: ENVIRONMENT_NAMES[kind], kind }));
  const [first] = environments;
  if (first === undefined) throw new Error('a workspace has at least one environment');
  await db.withEnvironment({ workspaceId, environmentId: first.id }, async (tx) => {
    await tx.raw('create_workspace', 'INSERT INTO workspaces (id, name, plan) VALUES (?, ?, ?)', [
      workspaceId,
      name,
      plan,
    ]);
    for (const environment of environments) {
      await tx.raw(
        'create_workspace_2',
        `INSERT INTO environments (id, workspace_id, name, kind, protected) VALUES (:id, :workspaceId, :name, :kind, :isProtected)`,
        { ...environment, workspaceId, isProtected: environment.kind === 'production' },
      );
    }
  });
  return { workspaceId, environments };
}
