import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../../db/api-keys/api-keys.ts';
import { getBudget, putBudget } from '../../../db/budgets/budgets.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { inForm } from '../../faults/form.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { withoutTriggers } from '../harness/plant.ts';

const PROCESSES = 4;
const OF_EACH = inForm({ short: 600, full: 2_500 });
const ADMISSIONS = PROCESSES * OF_EACH;
const AMOUNT = 10_000;
const CAP = 0.6 * ADMISSIONS * AMOUNT;
const KILLED = 2;
const timeout = 600_000;
/** The pause between two checks: they must leave the processors to the processes that they watch. */
const CHECK_INTERVAL_MS = 50;

const database = await createTestDatabase();
const apiKeyId = await database.db.withEnvironment(database.tenant, async (tx) => {
  const { record } = await createApiKey(tx, { name: 'hot', preset: 'full_access' });
  await putBudget(tx, record.id, { total: CAP });
  return record.id;
});

interface Admitting {
  child: ChildProcess;
  begun: Promise<unknown>;
  /** The exit code; null where a signal ended it. */
  exited: Promise<number | null>;
}

function admitting(index: number): Admitting {
  const { workspaceId, environmentId } = database.tenant;
  const script = path.join(projectRoot(), 'test/db/budgets/admitting-process.mjs');
  const range = [String(index * OF_EACH), String(OF_EACH)];
  const child = spawn(
    process.execPath,
    [script, database.applicationUrl, workspaceId, environmentId, apiKeyId, ...range],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return { child, begun: once(child.stdout, 'data'), exited: new Promise((resolve) => child.once('exit', resolve)) };
}

interface Sums {
  /** Used at once. */
  messages: number;
  /** By invocations, which are reserved first. */
  used: number;
  reserved: number;
  /** Sums over the reservations themselves, which the counters must equal. */
  held: number;
  settled: number;
}

async function sums(): Promise<Sums> {
  const [row] = await database.asOwner<Sums & Record<string, unknown>>(
    `SELECT COALESCE((SELECT sum(used) FROM api_key_usage WHERE kind = 'messages'), 0)::float8 AS messages,
       COALESCE((SELECT sum(used) FROM api_key_usage WHERE kind = 'invocations'), 0)::float8 AS used,
       COALESCE((SELECT sum(reserved) FROM api_key_usage), 0)::float8 AS reserved,
       COALESCE((SELECT sum(amount) FROM budget_reservations WHERE state = 'reserved'), 0)::float8 AS held,
       COALESCE((SELECT sum(amount) FROM budget_reservations WHERE state = 'settled'), 0)::float8 AS settled`,
  );
  if (row === undefined) throw new Error('a query without a table answers one row');
  return row;
}

/** Keeps the highest use of any version of a counter: it shows a rise that no check saw. */
async function watchEveryVersion(): Promise<void> {
  await database.asOwner(`
    CREATE TABLE seen_versions (most bigint NOT NULL, versions bigint NOT NULL);
    INSERT INTO seen_versions VALUES (0, 0);
    CREATE FUNCTION see_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      UPDATE seen_versions SET versions = versions + 1,
        most = GREATEST(most, (SELECT sum(used + reserved) FROM api_key_usage WHERE api_key_id = NEW.api_key_id));
      RETURN NULL;
    END $$;
    CREATE TRIGGER see_version AFTER INSERT OR UPDATE ON api_key_usage FOR EACH ROW EXECUTE FUNCTION see_version();`);
}

/** Four of five succeeded; the rest were withdrawn. No workflow ended them: this writes only the rows, as they would be then. */
async function endInvocations(): Promise<void> {
  const owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await withoutTriggers(owner, () =>
    owner.query(
      `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by, status, outcome_source)
       SELECT invocation_id, environment_id, 'none', 'none', invocation_id, 'none', '{}', '{}', 'succeeded', 'system' FROM budget_reservations
       WHERE right(invocation_id, 1) NOT IN ('0', '5')`,
    ),
  );
  await owner.query(
    `UPDATE budget_reservations SET finished_at = now(),
       state = CASE WHEN right(invocation_id, 1) IN ('0', '5') THEN 'released' ELSE 'settled' END`,
  );
  await owner.end();
}

describe(`${ADMISSIONS} admissions at once to one budget, from processes that are killed on the way`, () => {
  test('never rise above the cap at any commit, and leak nothing once all is settled', { timeout }, async () => {
    await watchEveryVersion();
    const processes = Array.from({ length: PROCESSES }, (_, index) => admitting(index));
    await Promise.all(processes.map(({ begun }) => begun));
    for (const { child } of processes.slice(0, KILLED)) child.kill('SIGKILL');
    const running = new Set(processes);
    const ended = Promise.all(processes.map((process) => process.exited.then(() => running.delete(process))));
    while (running.size > 0) {
      const { messages, used, reserved, held, settled } = await sums();
      expect(messages + used + reserved).toBeLessThanOrEqual(CAP);
      expect([reserved, used]).toEqual([held, settled]);
      await delay(CHECK_INTERVAL_MS);
    }
    await ended;
    for (const { exited } of processes.slice(KILLED)) expect(await exited).toBe(0);
    // Other processes repeat the requests that the killed ones left over; numbers already used are taken.
    const left = Array.from({ length: KILLED }, (_, index) => admitting(PROCESSES + index));
    for (const { exited } of left) expect(await exited).toBe(0);
    const full = await sums();
    expect(full.messages + full.reserved).toBe(CAP);
    const [seen] = await database.asOwner<{ most: string; versions: string }>('SELECT * FROM seen_versions');
    expect(Number(seen?.most)).toBe(CAP);
    expect(Number(seen?.versions)).toBeGreaterThanOrEqual(CAP / AMOUNT);

    await endInvocations();
    const last = await sums();
    expect([last.reserved, last.held]).toEqual([0, 0]);
    expect(last.used).toBe(last.settled);
    const budget = await database.db.withEnvironment(database.tenant, (tx) => getBudget(tx, apiKeyId));
    const total = last.used + last.messages;
    expect(budget).toMatchObject({ used: { invocations: last.used, total }, reserved: { total: 0 } });
  });

  test('the database itself refuses a rise above the cap, a second settlement and an erasure', async () => {
    const refusal = (sql: string): Promise<string> =>
      database.asOwner(sql, []).then(
        () => 'done',
        (error: unknown) => (error as Error).message,
      );
    expect(await refusal(`UPDATE api_key_usage SET used = ${CAP + 1}`)).toContain('would rise above its budget');
    expect(await refusal(`UPDATE budget_reservations SET state = 'released'`)).toContain('is final');
    expect(await refusal('DELETE FROM budget_reservations')).toContain('never deleted');
    expect(await refusal('DELETE FROM api_key_usage')).toContain('never erased');
  });
});
