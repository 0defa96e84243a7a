import type { PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A change of the workspace, which its environments share. */
  async plant(owner, tenant) {
    await owner.query(
      `INSERT INTO plan_changes (workspace_id, number, from_plan, to_plan) VALUES ($1, 1, 'free', 'growth') ON CONFLICT DO NOTHING`,
      [tenant.workspaceId],
    );
    await owner.query(
      `INSERT INTO daily_usage (environment_id, workspace_id, day, allowance, shard, used)
       VALUES ($1, $2, '2026-01-01', 'executions', 0, 1) ON CONFLICT DO NOTHING`,
      [tenant.environmentId, tenant.workspaceId],
    );
  },
  ofWorkspace: ['daily_usage', 'plan_changes'],
  writtenBeside: { daily_usage: null, plan_changes: null },
};
