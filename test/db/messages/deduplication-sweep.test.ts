import { Client } from 'pg';
import { expect, test } from 'vitest';
import { pino } from 'pino';
import { expiredDeduplications } from '../../../activities/maintenance/expired-rows.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { claimDeduplication } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** Sessions of this database that wait for another transaction. Other test files have waiters of their own. */
const WAITING = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE NOT l.granted AND l.locktype = 'transactionid' AND a.datname = current_database()`;

const database = await createTestDatabase();

test('the sweep leaves a deduplication window that a new message takes while the sweep looks at it', async () => {
  const { db, tenant } = database;
  const digest = Buffer.alloc(32, 1);
  // The superuser plants the expired window of a message.
  const messageId = newId('message');
  await database.asOwner(
    `INSERT INTO message_deduplications (environment_id, digest, message_id, expires_at) VALUES ($1, $2, $3, now() - interval '1 second')`,
    [tenant.environmentId, digest, messageId],
  );
  const publisher = new Client({ connectionString: database.ownerUrl });
  await publisher.connect();
  await publisher.query(`BEGIN; UPDATE message_deduplications SET expires_at = now() + interval '10 minutes'`);
  const swept = sweepRows({ db, logger: pino({ level: 'silent' }) }, 'expired', expiredDeduplications);
  await expect.poll(() => database.asOwner(WAITING)).toHaveLength(1);
  await publisher.query('COMMIT');
  await publisher.end();
  expect(await swept).toEqual({ seen: 1, failed: 0 });
  const claim = await db.withEnvironment(tenant, (tx) => claimDeduplication(tx, digest, newId('message')));
  expect(claim).toMatchObject({ fresh: false, earlier: { messageId } });
});
