import { afterEach, describe, expect, test } from 'vitest';
import { startTestApi } from '../harness/test-api.ts';
import { Schedules, testVault } from './support.ts';

/** Firings that come after a resumption, of slots that came before it: workers or Temporal were away. */

const vault = testVault();
const api = await startTestApi({ vault });
const { key } = await api.createKey(api.database.tenant);
const schedules = new Schedules(api, key, vault);
afterEach(() => api.database.asOwner(`UPDATE environments SET halts = '{}'`));

const HOUR_MS = 3_600_000;
const thisHourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
/** A slot of `0 * * * *`. */
const hoursAgo = (hours: number): string => new Date(thisHourMs - hours * HOUR_MS).toISOString();
const [BEFORE, WITHIN, LATEST, LATER] = [3, 1, 0, -2].map(hoursAgo) as [string, string, string, string];
const BEGAN = hoursAgo(2);

const PUBLISHED = ['published', null] as const;

/** What becomes of a firing of each slot. */
async function fired(id: string, slots: readonly string[]): Promise<unknown[]> {
  for (const slot of slots) await schedules.firing(id, slot);
  const runs = await schedules.runs(id);
  return slots.map((slot) => {
    const run = runs.find(({ nominalTime }) => nominalTime === slot);
    return run && [run.outcome, run.error?.code ?? null];
  });
}

/** Halts as if it had begun then, and resumes. */
async function haltSince(began: string): Promise<void> {
  await schedules.setHalt('halt');
  await api.database.asOwner('UPDATE environments SET halted_at = $2 WHERE id = $1', [
    api.database.tenant.environmentId,
    began,
  ]);
  await schedules.setHalt('resume');
}

async function setPaused(id: string, what: 'pause' | 'resume'): Promise<void> {
  expect((await schedules.call('POST', `/${id}/${what}`, {})).status).toBe(200);
}

/** Has the pause that lasts begin then. */
async function backdatePause(id: string, began: string): Promise<void> {
  const moved = await api.database.asOwner(
    'UPDATE schedules SET pauses = tstzmultirange(tstzrange($2, NULL)) WHERE id = $1 AND upper_inf(pauses) RETURNING id',
    [id, began],
  );
  expect(moved).toEqual([{ id }]);
}

describe('a slot that came during a pause and is fired after it', () => {
  const WANTED = [PUBLISHED, ['skipped', 'PAUSED'], ['skipped', 'PAUSED'], ['skipped', 'PAUSED'], PUBLISHED];
  const SLOTS = [BEFORE, BEGAN, WITHIN, LATEST, LATER];

  test('is skipped, and those before and after it are published', async () => {
    const { id } = await schedules.create({ overlap: 'allow_all' });
    await setPaused(id, 'pause');
    await backdatePause(id, BEGAN);
    await setPaused(id, 'resume');
    expect(await fired(id, SLOTS)).toEqual(WANTED);
  });

  test('is skipped too where the schedule was made paused', async () => {
    const { id } = await schedules.create({ overlap: 'allow_all', paused: true });
    await backdatePause(id, BEGAN);
    await setPaused(id, 'resume');
    expect(await fired(id, SLOTS)).toEqual(WANTED);
  });

  test('is skipped too where the schedule was changed and paused again since, and where it was recorded as missed', async () => {
    const { id } = await schedules.create({ overlap: 'allow_all' });
    await setPaused(id, 'pause');
    await backdatePause(id, BEGAN);
    await api.database.asOwner(
      'UPDATE schedules SET pauses = pauses * tstzmultirange(tstzrange(NULL, $2)), paused = false WHERE id = $1',
      [id, WITHIN],
    );
    expect((await schedules.call('PATCH', `/${id}`, { name: 'another' })).status).toBe(200);
    await setPaused(id, 'pause');
    await setPaused(id, 'resume');
    await api.database.asOwner(
      `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
       VALUES ($1, $2, 'schedule', $3, 'missed', 'CATCH_UP_PASSED', 'planted', now())`,
      [api.database.tenant.environmentId, id, BEGAN],
    );
    expect(await fired(id, [BEFORE, BEGAN, LATEST])).toEqual([PUBLISHED, ['skipped', 'PAUSED'], PUBLISHED]);
  });

  test('is published where its run waited for an earlier message: it came before', async () => {
    const { id } = await schedules.create({ overlap: 'buffer_one' });
    await schedules.firing(id, BEFORE);
    expect((await schedules.firing(id, WITHIN)).outcome).toBe('waiting');
    await setPaused(id, 'pause');
    await backdatePause(id, BEGAN);
    await setPaused(id, 'resume');
    await haltSince(BEGAN);
    await schedules.end(id);
    expect((await schedules.firing(id, WITHIN)).outcome).toBe('published');
  });
});

test('a slot that came during a halt and is fired after it is skipped, also where another halt came since', async () => {
  const { id } = await schedules.create({ overlap: 'allow_all' });
  await haltSince(BEGAN);
  await schedules.setHalt('halt');
  await schedules.setHalt('resume');
  const halted = ['skipped', 'ENVIRONMENT_HALTED'];
  const slots = [BEFORE, BEGAN, WITHIN, LATEST, LATER];
  expect(await fired(id, slots)).toEqual([PUBLISHED, halted, halted, halted, PUBLISHED]);
});

test('the last 20 pauses and halts are kept', async () => {
  const [row] = await api.database.asOwner<{ kept: number; oldest: Date; newest: Date }>(
    `WITH RECURSIVE step (n, kept) AS (SELECT 0, CAST('{}' AS tstzmultirange)
       UNION ALL SELECT n + 1, with_newest_range(kept, tstzrange(to_timestamp(n * 60), to_timestamp(n * 60 + 30))) FROM step WHERE n < 30)
     SELECT (SELECT count(*)::int FROM unnest(kept)) AS kept, lower(kept) AS oldest, upper(kept) AS newest FROM step WHERE n = 30`,
  );
  expect(row).toEqual({ kept: 20, oldest: new Date(600_000), newest: new Date(29 * 60_000 + 30_000) });
});
