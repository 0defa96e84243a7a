import type { Client } from 'pg';
import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

/** A schedule with nothing in it that was sealed. */
export async function plantSchedule(owner: Client, environmentId: string): Promise<string> {
  const id = newId('schedule');
  await insert(owner, 'schedules', {
    id,
    environment_id: environmentId,
    cron: '0 9 * * *',
    timezone: 'UTC',
    overlap: 'skip',
    catch_up_seconds: 60,
    destination: {},
    body_kind: 'none',
    created_by: {},
  });
  return id;
}

export const rows: PlantedArea = {
  /** A schedule with a run. */
  async plant(owner, { environmentId: environment_id }) {
    const id = await plantSchedule(owner, environment_id);
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
