import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { foldFacts } from '../../../db/analytics/directory.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import {
  type Figure,
  readInstallationFigures,
  readOldestQueuedSeconds,
} from '../../../db/metrics/installation-figures.ts';
import { newId } from '../../../domain/ids.ts';
import { COUNTED_ROWS_MAX, METRICS_OF_THE_DATABASE } from '../../../domain/metrics/of-the-database.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plainMessage } from '../messages/plain-message.ts';

/** What PostgreSQL tells of the whole installation: by one process at a time, and short whatever is stored. */

const STAYS_SECONDS = 40;
const ROWS = 30_000;
/** Rows of a table of that size that a reading may see without an index. The small tables of the installation have fewer. */
const SCANNED_ROWS_MAX = 100;

const database = await createTestDatabase();
const owner = await database.connectOwner();
const reader = randomUUID();
const read = (processId = reader) => readInstallationFigures(database.db, processId, STAYS_SECONDS);
const valueOf = (figures: readonly Figure[], name: string, label = ''): number | undefined =>
  figures.find((one) => one.name === name && one.label === label)?.value;

/** Rows as they would be after years, without what triggers and foreign keys would add to each. */
async function plant(sql: string, values: unknown[] = []): Promise<void> {
  await owner.query("SET session_replication_role = 'replica'");
  await owner.query(sql, values);
  await owner.query("SET session_replication_role = 'origin'");
}

const plantInvocations = (
  status: string,
  count: number,
  more: { age?: string; unknownAge?: string; awaits?: boolean },
) =>
  plant(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by, status,
       outcome_source, refusal_code, refusal_details, created_at, unknown_at, dependencies_awaited_at)
     SELECT concat('inv_', gen_random_uuid()), $1, 'act_1', 'ver_1', gen_random_uuid(), 'd', '{}', '{}', $2,
       CASE WHEN $2 = 'succeeded' THEN 'provider_response' END, CASE WHEN $2 = 'unknown' THEN 'no_usable_answer' END,
       CASE WHEN $2 = 'unknown' THEN jsonb_build_object() END, now() - CAST($4 AS interval), now() - CAST($5 AS interval),
       CASE WHEN $6 THEN now() END
     FROM generate_series(1, $3)`,
    [database.tenant.environmentId, status, count, more.age ?? '1 day', more.unknownAge ?? null, more.awaits ?? false],
  );

/** What every process reads. */
const OF_EACH = ['clock', 'database_commits_waiting'];

describe('the figures', () => {
  test('are read by one process: another gets the clock and the commits that wait until the first has not read for its time', async () => {
    const mine = await read();
    expect(valueOf(mine, 'unknown_effects')).toBe(0);
    const other = randomUUID();
    const ofEach = await read(other);
    expect(ofEach.map(({ name }) => name)).toEqual(OF_EACH);
    const [clock] = ofEach;
    expect(Math.abs((clock?.value ?? 0) - Date.now() / 1_000)).toBeLessThan(5);
    expect((await read()).length).toBe(mine.length);
    await owner.query("UPDATE installation SET figures_at = now() - interval '41 seconds'");
    expect(valueOf(await read(other), 'unknown_effects')).toBe(0);
    expect(await read()).toHaveLength(OF_EACH.length);
    await owner.query('UPDATE installation SET figures_by = $1', [reader]);
  });

  test('are not read by two at once, though both may', async () => {
    await owner.query('UPDATE installation SET figures_by = NULL');
    await owner.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('installation figures'))");
    expect(await read()).toHaveLength(OF_EACH.length);
    await owner.query('ROLLBACK');
    expect((await read()).length).toBeGreaterThan(OF_EACH.length);
  });

  test('are read while another change of the installation is held back, as by a standby that is not there', async () => {
    await owner.query('BEGIN; UPDATE installation SET figures_at = figures_at');
    const held = await read();
    await owner.query('ROLLBACK');
    expect(valueOf(held, 'unknown_effects')).toBe(0);
  });

  test('are those of the catalogue, and no other', async () => {
    const told = new Set((await read()).map(({ name }) => `agent_actions_${name}`));
    told.delete('agent_actions_clock');
    const gauges = Object.entries(METRICS_OF_THE_DATABASE).filter(([, { type }]) => type === 'gauge');
    // No master key was recorded here. The counters begin with the first fold.
    expect([...told].toSorted()).toEqual(
      gauges
        .map(([name]) => name)
        .filter((name) => name !== 'agent_actions_master_key_age_seconds')
        .toSorted(),
    );
  });

  test('say how many outcomes are unknown and for how long, what is queued, and who waits', async () => {
    await plantInvocations('unknown', 3, { unknownAge: '2 hours' });
    await plantInvocations('queued', 1, { age: '90 seconds' });
    await plantInvocations('queued', 1, { age: '3 days', awaits: true });
    await plantInvocations('dispatching', 2, { age: '4 days' });
    await plant(
      `INSERT INTO lane_places (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
       SELECT $1, $2, 'dispatch', concat('inv_', n), now() - interval '5 minutes', n = 1, now() + interval '1 hour' FROM generate_series(1, 3) n`,
      [database.tenant.environmentId, database.tenant.workspaceId],
    );
    const figures = await read();
    expect(valueOf(figures, 'unknown_effects')).toBe(3);
    expect(Math.round((valueOf(figures, 'oldest_unknown_seconds') ?? 0) / 3_600)).toBe(2);
    expect(valueOf(figures, 'invocations_in_flight', 'queued')).toBe(2);
    expect(valueOf(figures, 'invocations_in_flight', 'dispatching')).toBe(2);
    expect(Math.round((valueOf(figures, 'oldest_queued_seconds') ?? 0) / 30)).toBe(3);
    expect(await readOldestQueuedSeconds(database.db)).toBeGreaterThanOrEqual(90);
    expect(await readOldestQueuedSeconds(database.db)).toBeLessThan(3_600);
    expect(valueOf(figures, 'places_taken', 'dispatch')).toBe(1);
    expect(valueOf(figures, 'places_waiting', 'dispatch')).toBe(2);
    expect(Math.round((valueOf(figures, 'oldest_place_wait_seconds', 'dispatch') ?? 0) / 60)).toBe(5);
    expect(valueOf(figures, 'oldest_place_wait_seconds', 'notification')).toBe(0);
  });

  test('say how late messages, reads and events are, and what an unknown outcome holds of a limit', async () => {
    const messageId = newId('message');
    await database.db.withEnvironment(database.tenant, (tx) => insertMessages(tx, [plainMessage({ id: messageId })]));
    await plant("UPDATE lane_queue SET due_at = now() - interval '10 minutes'");
    await plant(
      `INSERT INTO workflow_starts (id, environment_id, kind, due_at, claimed) VALUES
         ('evt_1', $1, 'event', now() + interval '1 minute', true), ('eff_late', $1, 'read', now() + interval '1 minute', true),
         ('eff_soon', $1, 'read', now(), false), ('inv_waits', $1, 'invocation', now(), true)`,
      [database.tenant.environmentId],
    );
    await plant(
      `INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type, adapter_version,
         capabilities, target, request, request_digest, impact, stage, outcome, reconcile_next_at)
       VALUES ('eff_late', $1, 'inv_late', 'k', 'a', 'v', 'http.request', '1', '{}', '{}', '{}', 'd', '{}', 'reconciling', 'unknown',
         now() - interval '20 minutes')`,
      [database.tenant.environmentId],
    );
    await plant(
      `INSERT INTO impact_limits (id, environment_id, name, dimension, cap, period, timezone, scope, thresholds)
       VALUES ('lim_1', $1, 'a', 'emails', 100, 'day', 'UTC', '{}', '{}'), ('lim_2', $1, 'b', 'emails', 10, 'per_effect', 'UTC', '{}', '{}')`,
      [database.tenant.environmentId],
    );
    await plant(
      `INSERT INTO impact_reservations (id, environment_id, effect_id, limit_id, period, amount, exposure)
       SELECT concat('res_', n), $1, concat('eff_', n), CASE WHEN n = 5 THEN 'lim_2' ELSE 'lim_1' END, 'p', 10,
         CASE WHEN n = 4 THEN 'pending' ELSE 'unknown' END FROM generate_series(1, 5) n`,
      [database.tenant.environmentId],
    );
    const figures = await read();
    expect(valueOf(figures, 'messages_queued', 'ready')).toBe(1);
    expect(Math.round((valueOf(figures, 'oldest_message_due_seconds') ?? 0) / 60)).toBe(10);
    expect(valueOf(figures, 'overdue_work', 'event')).toBe(1);
    expect(valueOf(figures, 'overdue_work', 'read')).toBe(1);
    expect(Math.round((valueOf(figures, 'reconciliation_lag_seconds') ?? 0) / 60)).toBe(20);
    expect(valueOf(figures, 'unknown_exposure_ratio')).toBeCloseTo(0.3);
    await plant("UPDATE environments SET halted_at = now(), halted_reason = 'a test', halted_by = '{}'");
    expect(valueOf(await read(), 'oldest_message_due_seconds')).toBe(0);
    await plant('UPDATE environments SET halted_at = NULL, halted_reason = NULL, halted_by = NULL');
  });

  test('count what came to rest once, and never less', async () => {
    await plant('DELETE FROM analytics_facts');
    const add = (kind: string, d1: string, n: number) =>
      plant(
        `INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, n, s1, s2)
         VALUES ($1, $2, date_trunc('hour', now()), $3, '', '', $4, 0, 0)`,
        [database.tenant.environmentId, kind, d1, n],
      );
    await add('invocations.ended', 'failed:provider_rejected', 1);
    await add('invocations.ended', 'failed:secret_missing', 1);
    await add('delivery.attempts', '503', 1);
    await foldFacts(database.db);
    await add('invocations.ended', 'failed:secret_missing', -1);
    await add('invocations.ended', 'succeeded', 1);
    await add('delivery.attempts', 'timeout', 2);
    await foldFacts(database.db);
    const figures = await read();
    expect(valueOf(figures, 'invocations_total', 'failed')).toBe(2);
    expect(valueOf(figures, 'invocations_total', 'succeeded')).toBe(1);
    expect(valueOf(figures, 'delivery_attempts_total', '5xx')).toBe(1);
    expect(valueOf(figures, 'delivery_attempts_total', 'timeout')).toBe(2);
  });

  test('follow indexes: no reading scans a table that grows', async () => {
    await plantInvocations('succeeded', ROWS, {});
    await plant(
      `INSERT INTO dead_letters (message_id, environment_id, retention, reason, url)
       SELECT concat('msg_', n), $1, 'enterprise', 'gone', 'http://a.example/' FROM generate_series(1, $2) n`,
      [database.tenant.environmentId, ROWS],
    );
    await plant(
      `INSERT INTO workflow_starts (id, environment_id, kind, due_at) SELECT concat('apr_', n), $1, 'approval', now() + interval '1 day'
       FROM generate_series(1, $2) n`,
      [database.tenant.environmentId, ROWS],
    );
    await plant(
      `INSERT INTO lane_queue (message_id, environment_id, workspace_id, lane_id, state, due_at)
       SELECT concat('msg_', n), $1, $2, CASE WHEN n % 2 = 0 THEN 'lane_1' END, 'ready', now() - interval '1 minute' FROM generate_series(1, $3) n`,
      [database.tenant.environmentId, database.tenant.workspaceId, ROWS],
    );
    await owner.query('VACUUM ANALYZE invocations, dead_letters, workflow_starts, lane_queue');
    await owner.query(`BEGIN; SET LOCAL ROLE service_app`);
    await owner.query('SELECT * FROM read_installation_figures($1, $2, $3)', [reader, '40 seconds', COUNTED_ROWS_MAX]);
    const { rows } = await owner.query<{ relname: string; seq_tup_read: string }>(
      'SELECT relname, seq_tup_read FROM pg_stat_xact_user_tables WHERE seq_tup_read > $1',
      [SCANNED_ROWS_MAX],
    );
    const { rows: reads } = await owner.query<{ sum: string }>('SELECT sum(idx_scan) FROM pg_stat_xact_user_tables');
    await owner.query('ROLLBACK');
    expect(rows).toEqual([]);
    expect(Number(reads[0]?.sum)).toBeGreaterThan(0);
    const figures = await read();
    expect(valueOf(figures, 'dead_letters')).toBe(COUNTED_ROWS_MAX);
    expect(valueOf(figures, 'messages_queued', 'ready')).toBe(COUNTED_ROWS_MAX);
    expect(valueOf(figures, 'unknown_effects')).toBe(3);
  });
});
