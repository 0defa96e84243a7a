import { expect, test } from 'vitest';
import { deleteSchedule } from '../../../db/schedules/changes.ts';
import { lockSchedule } from '../../../db/schedules/queries.ts';
import { recordRun } from '../../../db/schedules/runs.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { plantSchedule } from './planted-rows.ts';

const database = await createTestDatabase();
const owner = await database.connectOwner();

const NOMINAL_AT = new Date('2026-11-23T09:00:00.000Z');

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
  const id = await plantSchedule(owner, database.tenant.environmentId);
  let deletion: Promise<boolean> | undefined;
  await db.withEnvironment(tenant, async (tx) => {
    await lockSchedule(tx, id);
    deletion = db.withEnvironment(tenant, (other) => deleteSchedule(other, id));
    await expect.poll(() => database.lockWaits('%schedules%'), { timeout: PATIENCE_MS }).toBe(1);
    await recordRun(tx, queued(id));
  });
  expect(await deletion).toBe(true);
  expect(await outcomesOf(id)).toEqual(['skipped']);
  const again = await db.withEnvironment(tenant, (tx) => deleteSchedule(tx, id));
  expect(again).toBe(false);
});
