import { expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { LaneWorld } from './world.ts';

/** A claim, and the end of an attempt, read as many rows beside a crowd as without one. */

const CROWD = 5_000;
/** Dead rows of the claims before are among them. */
const ROWS_MAX = 500;
/** PostgreSQL keeps a plan from the sixth time on. */
const KEPT_FROM = 7;

/** One connection, whose plans are those of its first claims. */
const database = await createTestDatabase({ poolMax: 1 });
const inAnHour = { scheduledFor: new Date(Date.now() + 3_600_000) };

/** How many rows this connection has read of each table, in any way. */
async function readOf(tx: EnvironmentTransaction): Promise<Map<string, number>> {
  const { rows } = await tx.raw<{ rows: { table: string; read: number }[] }>(
    null,
    `SELECT relname AS table, CAST(seq_tup_read + COALESCE(idx_tup_fetch, 0) AS integer) AS read FROM pg_stat_xact_user_tables`,
  );
  return new Map(rows.map(({ table, read }) => [table, read]));
}

/** The tables of which a claim and the end of its attempts read many rows. */
async function manyRead(world: LaneWorld): Promise<[string, number][]> {
  return world.inTransaction(world.tenant, async (tx) => {
    const before = await readOf(tx);
    const { attempts } = await world.claimIn(tx, { most: 2 });
    expect(attempts).not.toEqual([]);
    await world.endIn(tx, attempts, { kind: 'delivered' });
    const read = [...(await readOf(tx))].map(([table, count]): [string, number] => [
      table,
      count - (before.get(table) ?? 0),
    ]);
    return read.filter(([, count]) => count >= ROWS_MAX);
  });
}

const crowds: [string, (world: LaneWorld, key: string) => Promise<unknown>][] = [
  ['of a key that is let through one by one', (world, key) => world.publish(CROWD, key)],
  [
    'of a key that is paused',
    async (world, key) => {
      await world.change(key, { paused: true });
      await world.publish(CROWD, key);
    },
  ],
  ['of a key that is due later', (world, key) => world.publish(CROWD, key, inAnHour)],
  ['of ordinary messages', (world) => world.publish(CROWD, null)],
  ['of ordinary messages that are due later', (world) => world.publish(CROWD, null, inAnHour)],
];

test.each(crowds)('a crowd %s', async (_what, gather) => {
  await database.asOwner('DELETE FROM lane_queue');
  const tables = ['lane_queue', 'messages', 'message_contents', 'message_attempts'];
  for (const table of tables) await database.asOwner(`VACUUM ANALYZE ${table}`); // next to nothing is there
  const world = await LaneWorld.of(database);
  const key = await world.key({ parallelism: 1 });
  const other = await world.key({});
  const both = async (): Promise<void> => {
    for (const lane of [key, other, null]) await world.publish(2, lane);
  };
  for (let n = 0; n < KEPT_FROM; n++) {
    await both();
    await manyRead(world);
  }
  await gather(world, key);
  await both();
  for (let n = 0; n < 3; n++) expect(await manyRead(world)).toEqual([]);
});
