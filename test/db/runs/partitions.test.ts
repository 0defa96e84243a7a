import { expect, test } from 'vitest';
import { dropOldRunPartition, makeRunPartitions } from '../../../db/runs/directory.ts';
import { RUN_PARTITION_STEPS } from '../../../activities/maintenance/run-partitions.ts';
import { sweepSteps } from '../../../activities/maintenance/sweep-steps.ts';
import { encodeUuid } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import pino from 'pino';

/** Ranges of runs are made ahead, and dropped with their spans and tags 30 days after their newest run could begin: docs/retention.md. */
const database = await createTestDatabase();

const DAY_MS = 86_400_000;
/** A Monday: where ranges begin (0033-runs). */
const MONDAY_MS = Date.UTC(2024, 0, 1);
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const idAt = (at: Date): string =>
  `run_${encodeUuid(`${at.getTime().toString(16).padStart(12, '0')}7000800000000000000f`)}`;

async function plant(at: Date): Promise<string> {
  const id = idAt(at);
  const { environmentId } = database.tenant;
  await database.asOwner(`INSERT INTO runs (id, environment_id, tags) VALUES ($1, $2, '{"old"}')`, [id, environmentId]);
  await database.asOwner(
    `INSERT INTO spans (run_id, id, environment_id, name, kind, status, started_at) VALUES ($1, '00f067aa0ba902b7', $2, 'x', 'other', 'running', now())`,
    [id, environmentId],
  );
  return id;
}

async function weeksBegunSinceMigration(): Promise<number> {
  const [row] = await database.asOwner<{ migrated: Date }>('SELECT max(migration_time) AS migrated FROM migrations');
  if (row === undefined) throw new Error('an aggregate answers one row');
  const weekOf = (at: number): number => Math.floor((at - MONDAY_MS) / (7 * DAY_MS));
  return weekOf(Date.now()) - weekOf(row.migrated.getTime());
}

async function left(): Promise<string[]> {
  const rows = await database.asOwner<{ id: string }>(
    'SELECT id FROM runs UNION ALL SELECT run_id FROM spans UNION ALL SELECT run_id FROM run_tags ORDER BY id',
  );
  return rows.map(({ id }) => id);
}

test('what is old goes whole, from its range and from DEFAULT; what is younger stays', async () => {
  // The migration made them; it may have run before the present week began.
  expect(await makeRunPartitions(database.db)).toBe(await weeksBegunSinceMigration());
  expect(await makeRunPartitions(database.db)).toBe(0);
  await database.asOwner('SELECT make_run_partition($1)', [daysAgo(45)]);
  await database.asOwner('SELECT make_run_partition($1)', [daysAgo(25)]);
  const ranged = await plant(daysAgo(45));
  const strayed = await plant(daysAgo(60)); // its range was never made
  const young = [await plant(daysAgo(25)), await plant(new Date())];
  expect(await left()).toHaveLength(12);
  const dependencies = { db: database.db, logger: pino({ level: 'silent' }) };
  const swept = await sweepSteps(dependencies, 'run-partitions', RUN_PARTITION_STEPS);
  // A range, the two rows that count what it stored, and a run and its span of DEFAULT.
  expect(swept).toEqual({ seen: 5, failed: 0 });
  const there = await left();
  expect(there).toEqual(young.toSorted().flatMap((id) => [id, id, id]));
  expect(there).not.toContain(ranged);
  expect(there).not.toContain(strayed);
  expect(await dropOldRunPartition(database.db)).toBeNull();
  // What went is given back, and what is there still counts.
  const [counted] = await database.asOwner<{ counted: string; stored: string }>(
    `SELECT (SELECT sum(bytes) FROM stored_state) AS counted,
       (SELECT sum(stored_bytes) FROM (SELECT stored_bytes FROM runs UNION ALL SELECT stored_bytes FROM spans) s) AS stored`,
  );
  expect(Number(counted?.stored)).toBeGreaterThan(0);
  expect(counted?.counted).toBe(counted?.stored);
});
