import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A schedule with a run. */
  async plant(owner, { environmentId: environment_id }) {
    const id = newId('schedule');
    await insert(owner, 'schedules', {
      id,
      environment_id,
      cron: '0 9 * * *',
      timezone: 'UTC',
      overlap: 'skip',
      catch_up_seconds: 60,
      destination: {},
      body_kind: 'none',
      created_by: {},
    });
    await insert(owner, 'schedule_runs', {
      environment_id,
      schedule_id: id,
      trigger: 'manual',
      nominal_at: new Date(),
      outcome: 'queued',
      fired_at: new Date(),
    });
  },
};
