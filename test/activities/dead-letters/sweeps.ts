import { type DeclaredSweeps, starting, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/dead_letter_job': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('deadLetterJob');
      await asOwner(
        `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, requested_by, publishes_while_halted, looked_at)
         SELECT id, $2, 'retry', '{}', '{}', false, now() - interval '1 hour' FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId],
      );
      return {
        ...starting(ids, 'wakeDeadLetterJob'),
        end: () =>
          asOwner(`UPDATE dead_letter_jobs SET status = 'completed', ended_at = now() WHERE id = ANY ($1)`, [ids]),
      };
    },
  },
};
