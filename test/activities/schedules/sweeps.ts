import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, idsOf, starting, threeIds } from '../maintenance/sweep-declarations.ts';

/** Three schedules that were changed an hour ago, and the revision that Temporal knows. */
async function plantSchedules({ database }: ActivityWorld, told: number | null): Promise<string[]> {
  const ids = threeIds('schedule');
  await database.asOwner(
    `INSERT INTO schedules (id, environment_id, cron, timezone, overlap, catch_up_seconds, destination, body_kind, created_by, updated_at,
       told_revision, renew_at)
     SELECT id, $2, '0 9 * * *', 'UTC', 'skip', 60, '{}', 'none', '{}', now() - interval '1 hour', $3::integer,
       CASE WHEN $3::integer IS NOT NULL THEN now() + interval '1 day' END FROM unnest($1::text[]) id`,
    [ids, database.tenant.environmentId, told],
  );
  return ids;
}

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/schedule': async (world) => {
      const ids = await plantSchedules(world, null);
      return {
        ...starting(ids, 'putSchedule'),
        end: () =>
          world.database.asOwner(
            `UPDATE schedules SET deleted_at = now(), told_revision = NULL, renew_at = NULL WHERE id = ANY ($1)`,
            [ids],
          ),
      };
    },
    'workflow-starts/firing': async (world) => {
      const schedules = await plantSchedules(world, 1);
      const planted = await world.database.asOwner<{ id: string }>(
        `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, fired_at)
         SELECT $2, id, 'manual', now() - interval '1 hour', 'queued', now() - interval '1 hour' FROM unnest($1::text[]) id
         RETURNING schedule_id || '/manual/' || trunc(extract(epoch FROM nominal_at) * 1000) AS id`,
        [schedules, world.database.tenant.environmentId],
      );
      const ids = idsOf(planted).sort();
      const fired: string[] = [];
      const startFiring: ActivityDependencies['startFiring'] = ({ scheduleId }) => {
        if (scheduleId === schedules[1]) return Promise.reject(new Error('this one is refused'));
        fired.push(ids[schedules.indexOf(scheduleId)] ?? 'another');
        return Promise.resolve();
      };
      const end = () =>
        world.database.asOwner(
          `UPDATE schedule_runs SET outcome = 'skipped', error_code = 'DELETED', error_message = 'x' WHERE schedule_id = ANY ($1)`,
          [schedules],
        );
      return { ids, mended: () => Promise.resolve(fired), overrides: { startFiring }, end };
    },
  },
};
