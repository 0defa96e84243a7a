import { Client } from 'pg';
import { expect } from 'vitest';
import type { TestDatabase } from '../../harness/database.ts';

/** Runs a statement as the superuser in a transaction that stays open for `during`, or until it calls `commit`. */
export async function withOpenTransaction<T>(
  database: TestDatabase,
  sql: string,
  values: unknown[],
  during: (commit: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(sql, values);
    return await during(() => client.query('COMMIT'));
  } finally {
    await client.end();
  }
}

/** Waits until exactly this many sessions of the database wait for a lock. */
export async function untilWaiting(database: TestDatabase, count: number): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(() => database.asOwner(waiting)).toHaveLength(count);
}

/** Calls `ask` after the statement, and commits the statement when `waiting` sessions wait for a lock. */
export async function askDuring<T>(
  database: TestDatabase,
  [sql, values]: [sql: string, values: unknown[]],
  ask: () => Promise<T>,
  waiting = 1,
): Promise<T> {
  return withOpenTransaction(database, sql, values, async (commit) => {
    const asked = ask();
    await untilWaiting(database, waiting);
    await commit();
    return asked;
  });
}
