import type { Pool } from 'pg';
import type { Seen } from './signed-call.ts';

/** What a user of a queue would add to see attempts: one row, written at the end of each. */
export const ATTEMPTS_TABLE = `CREATE TABLE delivery_attempts (
  job_id text NOT NULL, number integer NOT NULL, finished_at timestamptz NOT NULL DEFAULT now(), status integer, error text,
  response_body text, latency_ms integer, PRIMARY KEY (job_id, number))`;

const INSERT =
  'INSERT INTO delivery_attempts (job_id, number, status, error, response_body, latency_ms) VALUES ($1, $2, $3, $4, $5, $6)';

/** Makes a call and records the attempt, whatever came of it. Throws what the call threw. */
export async function recorded(
  query: (statement: { name: string; text: string; values: unknown[] }) => Promise<unknown>,
  jobId: string,
  number: number,
  call: () => Promise<Seen>,
): Promise<void> {
  const write = (values: unknown[]): Promise<unknown> =>
    query({ name: 'record_attempt', text: INSERT, values: [jobId, number, ...values] });
  let seen: Seen;
  try {
    seen = await call();
  } catch (error) {
    await write([null, String(error), null, null]);
    throw error;
  }
  await write([seen.status, null, seen.body, Math.round(seen.latencyMs)]);
}

export async function countAttempts(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM delivery_attempts');
  return Number(rows[0]?.count);
}
