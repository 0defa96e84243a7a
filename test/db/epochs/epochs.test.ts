import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  countRecoveredWork,
  lookAtEpoch,
  openEpoch,
  readRecoveries,
  releaseRecovery,
} from '../../../db/epochs/epochs.ts';
import { watchEpoch } from '../../../process/epoch-watch.ts';
import { ActivityWorld } from '../../activities/invocations/world.ts';

/** A failover is planted: the epochs say that the database was last seen on another timeline, or on another cluster. */

const world = await ActivityWorld.start();
const { db, asOwner } = world.database;
const ask = { definition: { approval: { required: true, tag: null } } };

const timelineOf = async (invocationId: string): Promise<number> =>
  (await asOwner<{ timeline: number }>('SELECT timeline FROM invocations WHERE id = $1', [invocationId]))[0]
    ?.timeline ?? -1;
const lastSeenAs = (what: 'timeline = 99' | 'system_identifier = 99') =>
  asOwner(`UPDATE database_epochs SET ${what} WHERE id = (SELECT max(id) FROM database_epochs)`);
const atWork = (invocationId: string) => asOwner('UPDATE invocations SET timeline = 99 WHERE id = $1', [invocationId]);

const { timeline } = await lookAtEpoch(db);

beforeEach(async () => {
  await asOwner(`DELETE FROM database_epochs WHERE id > (SELECT min(id) FROM database_epochs);
    UPDATE database_epochs SET timeline = ${timeline}, system_identifier = (SELECT c.system_identifier FROM pg_control_system() c);
    DELETE FROM raised_events`);
});

describe('an epoch', () => {
  test('that is known is not begun again', async () => {
    expect((await lookAtEpoch(db)).isKnown).toBe(true);
    expect(await openEpoch(db, null, false)).toBeNull();
    expect(await readRecoveries(db)).toMatchObject([{ reason: 'first', recovery: 'none' }]);
  });

  test.each([
    ['timeline = 99', 'timeline'],
    ['system_identifier = 99', 'system_identifier'],
  ] as const)('is begun once, by one of many processes: %s', async (planted, reason) => {
    await lastSeenAs(planted);
    expect((await lookAtEpoch(db)).isKnown).toBe(false);
    const opened = await Promise.all(Array.from({ length: 8 }, () => openEpoch(db, null, false)));
    expect(opened.filter((state) => state !== null)).toEqual(['open']);
    expect((await readRecoveries(db))[0]).toMatchObject({ reason, recovery: 'open', timeline, releasedAt: null });
  });

  test('is told once to each environment that has work', async () => {
    const [queued, asked] = [await world.admit(), await world.admit(ask)];
    await world.activities().judgeInvocation(asked);
    await lastSeenAs('timeline = 99');
    await openEpoch(db, null, false);
    const rows = await asOwner<{ environmentId: string; type: string; snapshot: { invocations: number } }>(
      `SELECT environment_id AS "environmentId", type, snapshot FROM raised_events WHERE type = 'database.recovered'`,
    );
    expect(rows).toMatchObject([{ environmentId: queued.environmentId, snapshot: { recovery: 'open', timeline } }]);
    expect(rows[0]?.snapshot.invocations).toBeGreaterThanOrEqual(2);
  });

  test('that is a note takes over what is under way, and nothing of an earlier recovery', async () => {
    const [queued, asked, held] = [await world.admit(), await world.admit(ask), await world.admit()];
    await world.activities().judgeInvocation(asked);
    await Promise.all([queued, asked].map(({ invocationId }) => atWork(invocationId)));
    await asOwner('UPDATE invocations SET timeline = 0 WHERE id = $1', [held.invocationId]);
    await lastSeenAs('timeline = 99');
    expect(await openEpoch(db, null, true)).toBe('note');
    expect(await timelineOf(queued.invocationId)).toBe(timeline);
    expect(await timelineOf(asked.invocationId)).toBe(timeline);
    expect(await timelineOf(held.invocationId)).toBe(0);
  });

  test('of another cluster holds what is under way, whatever was said, though its timeline is the same', async () => {
    const queued = await world.admit();
    await lastSeenAs('system_identifier = 99');
    expect(await openEpoch(db, null, true)).toBe('open');
    expect(await timelineOf(queued.invocationId)).toBe(0);
  });

  test('is begun by an operator as often as they say, and by a log that is behind once', async () => {
    const queued = await world.admit();
    expect(await openEpoch(db, 'log_position', false)).toBe('open');
    expect(await openEpoch(db, 'log_position', false)).toBeNull();
    expect(await openEpoch(db, 'operator', false)).toBe('open');
    expect(await openEpoch(db, 'operator', false)).toBe('open');
    expect(await timelineOf(queued.invocationId)).toBe(0);
  });
});

test.each([
  'INSERT INTO database_epochs (id, system_identifier, timeline, reason, recovery) VALUES (99, 1, 1, $$operator$$, $$note$$)',
  'UPDATE database_epochs SET timeline = 1',
  'DELETE FROM database_epochs',
])('the application changes no epoch by itself: %s', async (statement) => {
  await expect(db.directory.raw(null, statement)).rejects.toThrow(/permission denied/);
});

describe('a recovery', () => {
  test('is counted, and released without letting anything go', async () => {
    const [queued, asked, after] = [await world.admit(), await world.admit(ask), await world.admit()];
    await world.activities().judgeInvocation(asked);
    const before = await countRecoveredWork(db);
    await Promise.all([queued, asked].map(({ invocationId }) => atWork(invocationId)));
    await lastSeenAs('timeline = 99');
    await openEpoch(db, null, false);
    const work = await countRecoveredWork(db);
    expect([work.held - before.held, work.waiting - before.waiting]).toEqual([1, 1]);
    expect(await releaseRecovery(db)).toBe(1);
    expect(await releaseRecovery(db)).toBe(0);
    expect((await readRecoveries(db))[0]).toMatchObject({ recovery: 'released', releasedAt: expect.any(Date) as Date });
    expect(await timelineOf(queued.invocationId)).toBe(99);
    expect(await timelineOf(after.invocationId)).toBe(timeline);
  });
});

describe('a process', () => {
  const logger = pino({ level: 'silent' });

  test('looks when it starts, and then by time', async () => {
    await lastSeenAs('timeline = 99');
    const watch = await watchEpoch(db, { requireSyncStandby: true, logger, intervalMs: 20 });
    try {
      // It remembers nothing, so a failover that loses nothing looks like a restore.
      expect((await readRecoveries(db))[0]).toMatchObject({ reason: 'timeline', recovery: 'open' });
      await lastSeenAs('system_identifier = 99');
      await vi.waitFor(async () => expect((await lookAtEpoch(db)).isKnown).toBe(true));
    } finally {
      await watch.stop();
    }
    expect((await readRecoveries(db))[0]).toMatchObject({ reason: 'system_identifier', recovery: 'open' });
  });

  test('says once that it will send nothing, where a standby is required and commits wait for none', async () => {
    const lines: { level: number; msg: string }[] = [];
    const heard = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
    const watch = await watchEpoch(db, { requireSyncStandby: true, logger: heard, intervalMs: 10 });
    await delay(100);
    await watch.stop();
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('nothing is sent')]);
  });
});
