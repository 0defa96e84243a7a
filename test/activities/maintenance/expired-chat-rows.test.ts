import { Client } from 'pg';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { EXPIRED_CHAT_STEPS } from '../../../activities/maintenance/expired-rows.ts';
import { sweepSteps } from '../../../activities/maintenance/sweep-steps.ts';
import { newIntegrationId } from '../../../domain/integrations/integrations.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** The sweep of clicks and link codes over real rows, as the role that it has in operation. */
/** One integration in each of two workspaces. */
const integrations: { id: string; environmentId: string }[] = [];
const database = await createTestDatabase();
const another = await database.anotherWorkspace();
for (const { environmentId } of [database.tenant, another.production]) {
  const id = newIntegrationId();
  integrations.push({ id, environmentId });
  await database.asOwner(
    `INSERT INTO integrations (id, environment_id, provider, name, account_id, account_name, takes_clicks, master_key_version,
         wrapped_data_key, sealed_value) VALUES ($1, $2, 'slack', 'Ops', 'T0', 'Ops', true, 1, '', '')`,
    [id, environmentId],
  );
}
beforeEach(async () => {
  await database.asOwner('DELETE FROM chat_clicks');
  await database.asOwner('DELETE FROM chat_link_codes');
});

const hashOf = (name: string): Buffer => Buffer.from(name.padEnd(32));

/** In each of the integrations. */
async function plantClick(name: string, ago: string): Promise<void> {
  for (const { id, environmentId } of integrations) {
    await database.asOwner(
      `INSERT INTO chat_clicks (integration_id, request_hash, environment_id, answer, at) VALUES ($1, $2, $3, '{}', now() - $4::interval)`,
      [id, hashOf(name), environmentId, ago],
    );
  }
}

/** The same. A code without a use is one of somebody who never became a member. */
async function plantCode(name: string, expiredAgo: string): Promise<void> {
  for (const { id, environmentId } of integrations) {
    await database.asOwner(
      `INSERT INTO chat_link_codes (integration_id, chat_user_id, environment_id, chat_user_name, code_hash, expires_at)
       VALUES ($1, $2, $3, $2, $4, now() - $5::interval)`,
      [id, name, environmentId, hashOf(name), expiredAgo],
    );
  }
}

const sweep = () => sweepSteps({ db: database.db, logger: pino({ level: 'silent' }) }, 'area', EXPIRED_CHAT_STEPS);

async function namesOf(sql: string): Promise<string[]> {
  return (await database.asOwner<{ name: string }>(sql)).map(({ name }) => name.trim()).sort();
}
const clicks = () => namesOf(`SELECT convert_from(request_hash, 'UTF8') AS name FROM chat_clicks`);
const codes = () => namesOf('SELECT chat_user_name AS name FROM chat_link_codes');

test('clicks go after an hour and codes after their expiry, in every environment; younger ones stay', async () => {
  await plantClick('old', '61 minutes');
  await plantClick('young', '59 minutes');
  await plantCode('expired', '1 second');
  await plantCode('open', '-1 minute');
  expect(await sweep()).toEqual({ seen: 4, failed: 0 });
  expect(await clicks()).toEqual(['young', 'young']);
  expect(await codes()).toEqual(['open', 'open']);
  expect(await sweep()).toEqual({ seen: 0, failed: 0 });
});

test('more rows than one call takes go in one sweep, call by call', async () => {
  const plant = `INSERT INTO chat_clicks (integration_id, request_hash, environment_id, answer, at)
    SELECT $1, sha256(n::text::bytea), $2, '{}', now() - interval '2 hours' FROM generate_series(1, 1001) n`;
  const [first] = integrations;
  await database.asOwner(plant, [first?.id, first?.environmentId]);
  const [step = () => Promise.resolve(0)] = Object.values(EXPIRED_CHAT_STEPS);
  const isOver = { isOver: () => true };
  expect(await step({ db: database.db, logger: pino({ level: 'silent' }) }, isOver)).toBe(1_000);
  expect(await sweep()).toEqual({ seen: 1, failed: 0 });
});

test('a code that a transaction holds waits for the next sweep, which waits for nobody', async () => {
  await plantCode('held', '1 second');
  await plantCode('free', '1 second');
  const redemption = new Client({ connectionString: database.ownerUrl });
  await redemption.connect();
  try {
    await redemption.query(`BEGIN; SELECT 1 FROM chat_link_codes WHERE chat_user_id = 'held' FOR UPDATE`);
    expect(await sweep()).toEqual({ seen: 2, failed: 0 });
    expect(await codes()).toEqual(['held', 'held']);
    await redemption.query('COMMIT');
  } finally {
    await redemption.end();
  }
  expect(await sweep()).toEqual({ seen: 2, failed: 0 });
});

test.each([
  ['chat_clicks', 'delete_old_chat_clicks'],
  ['chat_link_codes', 'delete_expired_link_codes'],
])('a call reads few rows of %s beside those that go, however many there are', async (table, remove) => {
  const [first] = integrations;
  const place = [first?.id, first?.environmentId];
  await database.asOwner(
    `INSERT INTO chat_clicks (integration_id, request_hash, environment_id, answer, at)
     SELECT $1, sha256(n::text::bytea), $2, '{}', now() - n % 2 * interval '2 hours' FROM generate_series(1, 10000) n`,
    place,
  );
  await database.asOwner(
    `INSERT INTO chat_link_codes (integration_id, chat_user_id, environment_id, chat_user_name, code_hash, expires_at)
     SELECT $1, n, $2, '', sha256(n::text::bytea), now() + (n % 2 * 2 - 1) * interval '10 minutes' FROM generate_series(1, 10000) n`,
    place,
  );
  const client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await client.query(`ANALYZE ${table}; BEGIN`);
    expect((await client.query(`SELECT ${remove}(10) AS deleted`)).rows).toEqual([{ deleted: 10 }]);
    // Counted in this transaction alone.
    const read = `SELECT seq_tup_read::int AS scanned, idx_tup_fetch::int AS fetched FROM pg_stat_xact_user_tables WHERE relname = $1`;
    const [counted] = (await client.query<{ scanned: number; fetched: number }>(read, [table])).rows;
    expect(counted?.scanned).toBe(0);
    expect(counted?.fetched).toBeLessThan(1_000);
  } finally {
    await client.end();
  }
});
