import type { Knex } from 'knex';

export const name = '0047-missed-slots';

/**
 * A slot that nobody fired within the catch-up of its schedule is recorded as a run with the outcome `missed`. One `schedule.failed` tells
 * of all the slots of a schedule that are recorded together: there may be a thousand.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE schedule_runs
      DROP CONSTRAINT schedule_runs_outcome_check,
      ADD CONSTRAINT schedule_runs_outcome_check
        CHECK (outcome IN ('queued', 'waiting', 'published', 'skipped', 'failed', 'missed'));

    CREATE FUNCTION raise_missed_slots() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM raise_event(newest.environment_id, 'schedule.failed', jsonb_build_object('scheduleId', newest.schedule_id,
          'name', (SELECT s.name FROM schedules s WHERE s.id = newest.schedule_id), 'trigger', newest.trigger,
          'nominalAt', event_time(newest.nominal_at), 'errorCode', newest.error_code,
          'errorMessage', newest.error_message || CASE WHEN newest.slots > 1 THEN ' Slots missed: ' || newest.slots || '.' ELSE '' END))
        FROM (SELECT DISTINCT ON (r.schedule_id) r.*, count(*) OVER (PARTITION BY r.schedule_id) AS slots
              FROM recorded r WHERE r.outcome = 'missed' ORDER BY r.schedule_id, r.nominal_at DESC) newest;
      RETURN NULL;
    END $$;
    CREATE TRIGGER raise_missed AFTER INSERT ON schedule_runs REFERENCING NEW TABLE AS recorded
      FOR EACH STATEMENT EXECUTE FUNCTION raise_missed_slots();
  `);
}
