import { expect, test } from 'vitest';
import { deleteSchedule } from '../../../db/schedules/changes.ts';
import { lockSchedule } from '../../../db/schedules/queries.ts';
import { recordRun } from '../../../db/schedules/runs.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

const database = await createTestDatabase();

const NOMINAL_AT = new Date('2026-11-23T09:00:00.000Z');

async function plantSchedule(): Promise<string> {
  const id = newId('schedule');
  await database.asOwner(
    `INSERT INTO schedules (id, environment_id, cron, timezone, overlap, catch_up_seconds, destination, body_kind, created_by)
     VALUES ($1, $2, '0 9 * * *', 'UTC', 'skip', 60, '{}', 'none', '{}')`,
    [id, database.tenant.environmentId],
  );
  return id;
}

const outcomesOf = async (scheduleId: string): Promise<string[]> =>
  (
    await database.asOwner<{ outcome: string }>('SELECT outcome FROM schedule_runs WHERE schedule_id = $1', [
      scheduleId,
    ])
  ).map(({ outcome }) => outcome);

const queued = (scheduleId: string) =>
  ({ scheduleId, trigger: 'manual', nominalAt: NOMINAL_AT, outcome: 'queued', messageIds: [], error: null }) as const;

test('a deletion that waits for a request to fire the schedule skips the run of that request', async () => {
  const { db, tenant } = database;
  const id = await plantSchedule();
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%schedules%'`;
  let deletion: Promise<boolean> | undefined;
  await db.withEnvironment(tenant, async (tx) => {
    await lockSchedule(tx, id);
    deletion = db.withEnvironment(tenant, (other) => deleteSchedule(other, id));
    await expect.poll(async () => (await database.asOwner(waiting)).length, { timeout: PATIENCE_MS }).toBe(1);
    await recordRun(tx, queued(id));
  });
  expect(await deletion).toBe(true);
  expect(await outcomesOf(id)).toEqual(['skipped']);
  const again = await db.withEnvironment(tenant, (tx) => deleteSchedule(tx, id));
  expect(again).toBe(false);
});
