import { expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';
import { LaneWorld } from './world.ts';

/** A claim, and the end of an attempt, read as many rows of the queue beside a crowd as without one. */

const CROWD = 5_000;
/** Dead rows of the claims before are among them. */
const ROWS_MAX = 500;
/** PostgreSQL keeps a plan from the sixth time on. */
const KEPT_FROM = 7;

/** One connection, whose plans are those of its first claims. */
const database = await createTestDatabase({ poolMax: 1 });
const inAnHour = { scheduledFor: new Date(Date.now() + 3_600_000) };

async function rowsRead(world: LaneWorld): Promise<number> {
  return world.inTransaction(world.tenant, async (tx) => {
    const { attempts } = await world.claimIn(tx, { most: 2 });
    expect(attempts).not.toEqual([]);
    await world.endIn(tx, attempts, { kind: 'delivered' });
    const { rows } = await tx.raw<{ rows: { read: number }[] }>(
      null,
      `SELECT CAST(seq_tup_read + COALESCE(idx_tup_fetch, 0) AS integer) AS read FROM pg_stat_xact_user_tables WHERE relname = 'lane_queue'`,
    );
    return rows[0]?.read ?? Number.NaN;
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
  await database.asOwner('VACUUM ANALYZE lane_queue'); // nothing waits, as far as the statistics know
  const world = await LaneWorld.of(database);
  const key = await world.key({ parallelism: 1 });
  const other = await world.key({});
  const both = async (): Promise<void> => {
    for (const lane of [key, other, null]) await world.publish(2, lane);
  };
  for (let n = 0; n < KEPT_FROM; n++) {
    await both();
    await rowsRead(world);
  }
  await gather(world, key);
  await both();
  for (let n = 0; n < 3; n++) expect(await rowsRead(world)).toBeLessThan(ROWS_MAX);
});
