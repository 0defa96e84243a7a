import { expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { ensureKeys } from '../../../db/flow-control/changes.ts';
import { KEYS_PER_ENVIRONMENT_MAX } from '../../../domain/flow-control/flow-control.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

/** No longer few: they are counted behind the lock. */
const MANY_KEYS = 11;

const database = await createTestDatabase();

const ensure = (tx: EnvironmentTransaction, keys: readonly string[]) =>
  ensureKeys(
    tx,
    keys.map((key) => ({ key, limits: {} })),
  );
const publish = (...keys: string[]) => database.db.withEnvironment(database.tenant, (tx) => ensure(tx, keys));

test('at the cap of keys a new one takes the room of an idle one that says no more than its name, or is refused', async () => {
  const { environmentId } = database.tenant;
  const old = `now() - interval '25 hours'`;
  const plant = (id: string, columns: string, values: string) =>
    database.asOwner(
      `INSERT INTO lanes (id, environment_id, key, updated_at, ${columns}) VALUES ($1, $2, $1, ${values})`,
      [id, environmentId],
    );
  const kept = ['limited', 'parallel', 'pinned', 'paused', 'held', 'young', 'waiting'];
  await plant('limited', 'rate, period_seconds', `${old}, 5, 1`);
  await plant('parallel', 'parallelism', `${old}, 5`);
  await plant('pinned', 'rate_pinned', `${old}, true`);
  await plant('paused', 'paused_at', `${old}, now()`);
  await plant('held', 'held_until', `${old}, now() + interval '1 hour'`);
  await plant('young', 'held_until', `now() - interval '23 hours', now()`);
  await plant('waiting', 'held_until', `${old}, NULL`);
  await database.asOwner(
    `INSERT INTO lane_queue (message_id, environment_id, workspace_id, lane_id, state, due_at)
     VALUES ('msg_waits', $1, $2, 'waiting', 'ready', now())`,
    [environmentId, database.tenant.workspaceId],
  );
  await plant('idle', 'held_until', `${old}, ${old}`);
  await database.asOwner(
    `INSERT INTO lanes (id, environment_id, key, parallelism)
     SELECT 'many' || n, $1, 'many' || n, 1 FROM generate_series(1, $2::integer) n`,
    [environmentId, KEYS_PER_ENVIRONMENT_MAX - kept.length - 1],
  );
  await expect(publish('one', 'two')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect([...(await publish('one')).keys()]).toEqual(['one']);
  const left = await database.asOwner<{ id: string }>(`SELECT id FROM lanes WHERE id = ANY($1) ORDER BY id`, [
    [...kept, 'idle'],
  ]);
  expect(left.map(({ id }) => id)).toEqual([...kept].sort());
  await expect(publish('two')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect([...(await publish('one', 'limited')).keys()].sort()).toEqual(['limited', 'one']); // those that are there are named as before
});

test('a key that a publish names is not removed to make room for the others that it names', async () => {
  const { production } = database.tenants;
  const { environmentId } = production;
  const publishThere = (...keys: string[]) => database.db.withEnvironment(production, (tx) => ensure(tx, keys));
  const plantIdle = (id: string, age: string) =>
    database.asOwner(
      `INSERT INTO lanes (id, environment_id, key, updated_at) VALUES ($1, $2, $1, now() - CAST($3 AS interval))`,
      [id, environmentId, age],
    );
  await plantIdle('named', '26 hours');
  await database.asOwner(
    `INSERT INTO lanes (id, environment_id, key, parallelism)
     SELECT 'full' || n, $1, 'full' || n, 1 FROM generate_series(1, $2::integer) n`,
    [environmentId, KEYS_PER_ENVIRONMENT_MAX - 1],
  );
  await expect(publishThere('named', 'new')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  await database.asOwner(`DELETE FROM lanes WHERE id = 'full1'`);
  await plantIdle('nameless', '25 hours');
  expect((await publishThere('named', 'new')).get('named')).toBe('named');
  const left = await database.asOwner<{ key: string }>(
    `SELECT key FROM lanes WHERE environment_id = $1 AND key IN ('named', 'nameless', 'new') ORDER BY key`,
    [environmentId],
  );
  expect(left.map(({ key }) => key)).toEqual(['named', 'new']);
});

test('two publishes at once do not exceed the cap of keys together', async () => {
  const { staging } = database.tenants;
  const many = (of: string): string[] => Array.from({ length: MANY_KEYS }, (_, n) => `${of}-${n}`);
  await database.asOwner(
    `INSERT INTO lanes (id, environment_id, key, parallelism)
     SELECT 'more' || n, $1, 'more' || n, 1 FROM generate_series(1, $2::integer) n`,
    [staging.environmentId, KEYS_PER_ENVIRONMENT_MAX - 2 * MANY_KEYS + 1],
  );
  let hasEnded = 0;
  let second: Promise<unknown> | undefined;
  await database.db.withEnvironment(staging, async (tx) => {
    await ensure(tx, many('first'));
    second = database.db
      .withEnvironment(staging, (other) => ensure(other, many('second')))
      .catch((error: unknown) => error)
      .finally(() => (hasEnded = 1));
    await expect.poll(async () => hasEnded + (await waiting()), { timeout: PATIENCE_MS }).toBe(1);
  });
  expect(await second).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  const [row] = await database.asOwner<{ keys: number }>(
    'SELECT count(*)::int AS keys FROM lanes WHERE environment_id = $1',
    [staging.environmentId],
  );
  expect(row?.keys).toBe(KEYS_PER_ENVIRONMENT_MAX - MANY_KEYS + 1);
});

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await database.asOwner<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.n ?? 0;
}
