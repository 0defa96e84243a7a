import { newId } from '../../../domain/ids.ts';
import { type DeclaredSweeps, starting } from '../maintenance/sweep-declarations.ts';
import type { ActivityWorld } from './world.ts';

async function admitThree(world: ActivityWorld): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await world.admit()).invocationId);
  return ids.sort();
}

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/invocation': async (world) => {
      const ids = await admitThree(world);
      await world.database.asOwner(`UPDATE workflow_starts SET due_at = now()`);
      return starting(ids, 'startInvocation');
    },
    'uncancelled-invocations': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = await admitThree(world);
      const runId = newId('run');
      await asOwner(
        "INSERT INTO runs (id, environment_id, status, ended_at, closed_at) VALUES ($1, $2, 'cancelled', now(), now())",
        [runId, tenant.environmentId],
      );
      await asOwner(
        `SET session_replication_role = 'replica';
         UPDATE invocations SET run_id = '${runId}', evaluated_at = now(), dependencies_awaited_at = now() WHERE id IN ('${ids.join("', '")}')`,
      );
      return starting(ids, 'cancelInvocation');
    },
  },
};
