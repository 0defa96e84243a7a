import type { PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** Usage of the workspace, which its environments share. */
  async plant(owner, tenant) {
    await owner.query(
      `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used) VALUES ($1, '2026-01-01', 'executions', 0, 1)
       ON CONFLICT DO NOTHING`,
      [tenant.workspaceId],
    );
    await owner.query(`INSERT INTO stored_state (workspace_id, part, bytes) VALUES ($1, 'sessions', 1)`, [
      tenant.workspaceId,
    ]);
  },
  ofWorkspace: ['monthly_usage', 'stored_state'],
  heldElsewhere: {
    installation: 'one row, which is nobody’s: test/db/plans/installation.test.ts',
    session_rate_windows:
      'of a user, and counted by a function of the directory alone: test/db/plans/rate-limiter.test.ts',
    rate_windows: 'counted by a function of the directory alone: test/db/plans/rate-limiter.test.ts',
  },
  writtenBeside: { monthly_usage: null, session_rate_windows: null, stored_state: null },
};
