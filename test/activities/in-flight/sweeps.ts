import { type DeclaredSweeps, deleting } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'expired-places': async (world) => {
      const { workspaceId, environmentId } = world.database.tenant;
      // The last one expired a moment ago.
      await world.database.asOwner(
        `INSERT INTO lane_places (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
         SELECT $1, $2, 'maintenance', holder, now(), true, now() - age::interval
         FROM (VALUES ('msg_a', '2 hours'), ('msg_b', '2 hours'), ('msg_c', '2 hours'), ('msg_d', '1 minute')) v (holder, age)`,
        [environmentId, workspaceId],
      );
      return deleting(world, 'lane_places', {
        ids: ['a', 'b', 'c'].map((id) => `${environmentId}/maintenance/msg_${id}`),
        idSql: `environment_id || '/' || kind || '/' || holder`,
        poison: `OLD.holder = 'msg_b'`,
      });
    },
  },
};
