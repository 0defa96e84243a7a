import { describe, expect, test } from 'vitest';
import { Database } from '../../db/client.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { createTestDatabase } from '../harness/database.ts';
import { findPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts';
import { startTarget } from '../harness/target.ts';
import { AS_IT_SHOULD, everydayWork } from './everyday-work.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** API and worker behind PgBouncer in transaction mode, as docs/ha.md sets it up, with far more clients than connections. */

const POOL_SIZE = 3;
const CALLS_AT_ONCE = 40;
const CLIENTS = 12;
const found = findPgBouncer();
if ('missing' in found) console.warn(`Nothing runs through PgBouncer: skipped: ${found.missing}`);

describe.skipIf('missing' in found)('through PgBouncer in transaction mode', async () => {
  if ('missing' in found) return;
  const database = await createTestDatabase();
  const pooler = await startPgBouncer(found.program, database.applicationUrl, POOL_SIZE);
  const db = new Database({ url: pooler.url, applicationName: 'test-pooled', poolMax: CLIENTS });
  closesWithFile(() => db.close());
  const [processes, target] = await Promise.all([
    SeparateProcesses.start({
      database,
      environment: { DATABASE_URL: pooler.url, DATABASE_LISTEN_URL: database.applicationUrl },
    }),
    startTarget(),
  ]);
  const [api] = await Promise.all([processes.startApi(), processes.startWorker()]);

  test('each transaction sees its own tenant, on connections that all clients share', async () => {
    const other = (await database.anotherWorkspace()).development;
    const seen = await Promise.all(
      Array.from({ length: CALLS_AT_ONCE }, async (_, call) => {
        const tenant = call % 2 === 0 ? database.tenant : other;
        const row = await db.withEnvironment(tenant, (tx) =>
          tx.row<{ environmentId: string; pid: number }>(
            'who_is_it',
            'SELECT current_environment_id() AS "environmentId", pg_backend_pid() AS pid',
          ),
        );
        return { isOwn: row?.environmentId === tenant.environmentId, pid: row?.pid };
      }),
    );
    expect(seen.filter(({ isOwn }) => !isOwn)).toEqual([]);
    expect(new Set(seen.map(({ pid }) => pid)).size).toBeLessThanOrEqual(POOL_SIZE);
    const left = await Promise.all(
      Array.from({ length: CLIENTS }, () =>
        db.directory.row<{ left: string | null }>(
          'what_is_left',
          `SELECT concat(current_setting('app.environment_id', true), current_setting('app.workspace_id', true)) AS left`,
        ),
      ),
    );
    expect(left.map((row) => row?.left)).toEqual(Array.from({ length: CLIENTS }, () => ''));
  });

  test('a statement that was to be prepared behind one that failed is prepared at its next call', async () => {
    for (let time = 0; time < CLIENTS; time++) {
      const failed = db.withEnvironment(database.tenant, (tx) =>
        tx.inOrder(
          () => tx.raw(`fails_${time}`, 'SELECT 1 / CAST(? AS int)', [0]),
          () => tx.raw(`behind_it_${time}`, 'SELECT CAST(? AS int) AS given', [time]),
        ),
      );
      await expect(failed).rejects.toThrow('division by zero');
      const asked = Array.from({ length: CLIENTS }, () =>
        db.withEnvironment(database.tenant, (tx) =>
          tx.row<{ given: number }>(`behind_it_${time}`, 'SELECT CAST(? AS int) AS given', [time]),
        ),
      );
      expect((await Promise.all(asked)).map((row) => row?.given)).toEqual(asked.map(() => time));
    }
  });

  test('governed calls, approvals, schedules and deliveries go their way', async () => {
    expect(await everydayWork(processes, api, target)).toEqual(AS_IT_SHOULD);
  });

  test('the connections that LISTEN stand past the pooler, and are made again', async () => {
    const listening = () =>
      database.asOwner<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%-listen' AND query LIKE 'LISTEN%'`,
      );
    const before = await listening();
    expect(before.length).toBeGreaterThan(0);
    await database.asOwner('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [
      before.map(({ pid }) => pid),
    ]);
    const made = async () => {
      const gone = new Set(before.map(({ pid }) => pid));
      return (await listening()).filter(({ pid }) => !gone.has(pid)).length;
    };
    await expect.poll(made).toBe(before.length);
  });

  test('the doctor sees the pooler, and finds it sound', async () => {
    const { output } = await processes.command('doctor.js', ['--json'], { PORT: new URL(api.baseUrl).port });
    const { checks } = JSON.parse(output) as { checks: { name: string; status: string; message: string }[] };
    const told = Object.fromEntries(checks.map(({ name, status, message }) => [name, [status, message]]));
    expect(told['notifications']).toEqual([
      'ok',
      'A pooler stands before PostgreSQL, and sessions hear notifications.',
    ]);
    expect(told['prepared-statements']?.[0]).toBe('ok');
    const unsound = await processes.command('doctor.js', ['--json'], { DATABASE_LISTEN_URL: pooler.url });
    expect(unsound.output).toContain('set DATABASE_LISTEN_URL to the primary itself');
  });
});
