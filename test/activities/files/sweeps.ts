import { type DeclaredSweeps, deletingById, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'due-files': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('file');
      await asOwner(
        `INSERT INTO files (id, environment_id, upload, status, filename, content_type, size, created_by, expires_at, due_at)
         SELECT id, $2, 'direct', 'pending', 'lost.txt', 'text/plain', 1, '{}', now() - interval '1 second', now() - interval '1 second'
         FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId],
      );
      return deletingById(world, 'files', ids);
    },
  },
};
