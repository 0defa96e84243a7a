import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { expiredIdempotencyClaims } from '../../../activities/maintenance/expired-rows.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** Sessions of this database that wait for another transaction. Other test files have waiters of their own. */
const WAITING = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE NOT l.granted AND l.locktype = 'transactionid' AND a.datname = current_database()`;

const MORE_THAN_A_BATCH = 1_200;

/** The durable sweep (a Temporal Schedule runs it each minute) is the one that deletes claims. */
const database = await createTestDatabase();

describe('the sweep of idempotency claims', () => {
  const plant = (tenant: { environmentId: string }, prefix: string, count: number, expiresIn: string) =>
    database.asOwner(
      `INSERT INTO idempotency_claims (environment_id, key, request_digest, state, holder, lease_expires_at, expires_at, response_status, response_body)
       SELECT $1, $2 || n, 'd', 'completed', gen_random_uuid(), now(), now() + $4::interval, 201, '{}' FROM generate_series(1, $3) n`,
      [tenant.environmentId, prefix, count, expiresIn],
    );
  const left = async (): Promise<string[]> =>
    (await database.asOwner<{ key: string }>('SELECT key FROM idempotency_claims ORDER BY key')).map(({ key }) => key);
  const sweep = () =>
    sweepRows({ db: database.db, logger: pino({ level: 'silent' }) }, 'expired', expiredIdempotencyClaims);

  it('deletes those of every environment that are past their 24 hours, however many, and no other', async () => {
    await plant(database.tenants.development, 'old', MORE_THAN_A_BATCH, '-1 second');
    await plant(database.tenants.staging, 'old', 3, '-1 second');
    await plant(database.tenants.development, 'kept', 2, '1 minute');
    expect(await sweep()).toEqual({ seen: MORE_THAN_A_BATCH + 3, failed: 0 });
    expect(await left()).toEqual(['kept1', 'kept2']);
    expect(await sweep()).toEqual({ seen: 0, failed: 0 });
  });

  it('leaves a claim that a new request takes while the sweep looks at it', async () => {
    await plant(database.tenants.development, 'taken', 1, '-1 second');
    const request = new Client({ connectionString: database.ownerUrl });
    await request.connect();
    await request.query(
      `BEGIN; UPDATE idempotency_claims SET expires_at = now() + interval '1 day' WHERE key = 'taken1'`,
    );
    const swept = sweep();
    await expect.poll(() => database.asOwner(WAITING)).toHaveLength(1);
    await request.query('COMMIT');
    await request.end();
    expect(await swept).toEqual({ seen: 1, failed: 0 });
    expect(await left()).toContain('taken1');
  });
});
