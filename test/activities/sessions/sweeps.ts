import { newId } from '../../../domain/ids.ts';
import { type DeclaredSweeps, deletingById, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'expired-sessions': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('session');
      // The last one is not past its end.
      for (const [id, seconds] of [...ids.map((one) => [one, -1] as const), [newId('session'), 60] as const]) {
        await asOwner(
          'INSERT INTO sessions (id, environment_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))',
          [id, tenant.environmentId, seconds],
        );
      }
      return deletingById(world, 'sessions', ids);
    },
  },
};
