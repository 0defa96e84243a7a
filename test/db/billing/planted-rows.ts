import type { PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A change of the workspace, which its environments share. */
  async plant(owner, tenant) {
    await owner.query(
      `INSERT INTO plan_changes (workspace_id, number, from_plan, to_plan) VALUES ($1, 1, 'free', 'growth') ON CONFLICT DO NOTHING`,
      [tenant.workspaceId],
    );
  },
  ofWorkspace: ['plan_changes'],
  writtenBeside: { plan_changes: null },
};
