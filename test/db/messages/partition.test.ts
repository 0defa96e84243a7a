import { describe, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { lockInPartition, lockMessage } from '../../../db/messages/lock-message.ts';
import { partitionOf } from '../../../db/messages/partitions.ts';
import { idFloor, newId, timeOfId } from '../../../domain/ids.ts';
import { MESSAGE_RETENTIONS } from '../../../domain/plans.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plainMessage } from './plain-message.ts';

const HOUR_MS = 3_600_000;

const database = await createTestDatabase({ poolMax: 1 });

const LOOK = 'SELECT m.id FROM messages m WHERE m.id = :id';
const textFor = (id: string, retention: string): string | undefined =>
  partitionOf({ id, retention })?.text((within) => `${LOOK} AND ${within('m.id')}`);

describe('the partition of a message', () => {
  test.each(MESSAGE_RETENTIONS)('of class %s is one table, whichever day of its range it is', async (retention) => {
    const sql = textFor(newId('message'), retention)?.replace(':id', '$1') ?? 'none';
    const plan = await database.asOwner<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${sql}`);
    const scans = plan.flatMap(({ 'QUERY PLAN': line }) => /Scan.* on (\w+)/.exec(line)?.[1] ?? []);
    expect(scans).toEqual([expect.stringMatching(new RegExp(`^messages_${retention}_\\d{8}$`))]);
  });

  test('has ids of a time that the database reads in the same way', async () => {
    const at = new Date('2026-11-23T04:05:06.789Z');
    const [row] = await database.asOwner<{ id: string }>('SELECT message_id_floor($1) AS id', [at]);
    expect(row?.id).toBe(idFloor('message', at.getTime()));
    expect(timeOfId(row?.id ?? '')).toBe(at.getTime());
    expect(Math.abs(timeOfId(newId('message')) - Date.now())).toBeLessThan(HOUR_MS);
  });

  test('is not named where rows may have been moved out of it, nor for an id that is none of ours', () => {
    const now = Date.now();
    expect(textFor(idFloor('message', now - 19 * HOUR_MS), 'week')).toContain("retention = 'week' AND");
    for (const [id, retention] of [
      [idFloor('message', now - 21 * HOUR_MS), 'week'],
      [newId('message'), 'kept_week'],
      ["msg_' OR true --", 'week'],
      [newId('message'), "week' OR true --"],
    ] as const) {
      expect(textFor(id, retention)).toBeUndefined();
    }
  });
});

test('a connection keeps its plan of a statement that names a partition', async () => {
  const messages = Array.from({ length: 8 }, () => plainMessage());
  await database.db.withEnvironment(database.tenant, (tx) => insertMessages(tx, messages));
  const retention = await database.db.withEnvironment(database.tenant, async (tx) => {
    const work = await lockMessage(tx, messages[0]?.id ?? '');
    return work?.retention ?? 'none';
  });
  const plans = await database.db.withEnvironment(database.tenant, async (tx) => {
    for (const { id } of messages) {
      const partition = partitionOf({ id, retention });
      if (partition === null) throw new Error('a new message is in a range');
      expect(await lockInPartition(tx, id, partition)).toMatchObject({ id, status: 'pending', openAttempt: null });
    }
    return tx.raw<{ rows: { keeps: boolean }[] }>(
      null,
      `SELECT generic_plans > 0 AS keeps FROM pg_prepared_statements WHERE name LIKE 'lock_in_partition%'`,
    );
  });
  expect(plans.rows).toEqual([{ keeps: true }, { keeps: true }]);
});
