import { Ajv } from 'ajv';
import { Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { Deadline } from '../../domain/deadline.ts';

/** What a peer's process is told, as its one argument. */
export interface PeerTask {
  databaseUrl: string;
  temporalAddress: string;
  targetUrl: string;
  secret: string;
  /** Where it listens: the same after a restart. */
  port: number;
}

export interface Input {
  message: string;
}
/** What a peer's caller gets. */
export interface Outcome {
  status: 'succeeded' | 'refused' | 'unknown';
  answer?: unknown;
}
/** A form of the job: as the peer's guide has it, or fenced. */
export type Form = 'native' | 'fenced';

/** The schema of the input: ours validates the same one. */
export const INPUT_SCHEMA = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
/** A target that does not answer by then does not answer at all. */
export const CALL_TIMEOUT_MS = 5_000;
export const COUNTER_CAP = 1_000_000_000;
const CONNECTIONS_MAX = 20; // as DATABASE_POOL_MAX is by default

const TABLES = `
CREATE TABLE IF NOT EXISTS counters (name text PRIMARY KEY, used bigint NOT NULL DEFAULT 0, cap bigint NOT NULL, CHECK (used <= cap));
CREATE TABLE IF NOT EXISTS calls (key text PRIMARY KEY, status text NOT NULL, input jsonb NOT NULL, answer jsonb,
  claimed_at timestamptz NOT NULL DEFAULT now(), settled_at timestamptz);
CREATE TABLE IF NOT EXISTS reservations (key text PRIMARY KEY);
INSERT INTO counters (name, cap) VALUES ('native', ${COUNTER_CAP}), ('fenced', ${COUNTER_CAP}) ON CONFLICT DO NOTHING`;

const RESERVE = `UPDATE counters SET used = used + 1 WHERE name = 'native' AND used < cap`;
/** For steps that may run twice: a guide that asks for idempotent steps gets one. */
const RESERVE_ONCE = `WITH made AS (INSERT INTO reservations (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key),
  held AS (UPDATE counters SET used = used + 1 WHERE name = 'native' AND used < cap AND EXISTS (SELECT FROM made) RETURNING name)
  SELECT (SELECT count(*) FROM made) = (SELECT count(*) FROM held) AS is_reserved`;
const RECORD = `INSERT INTO calls (key, status, input, answer, settled_at) VALUES ($1, 'succeeded', $2, $3, now()) ON CONFLICT DO NOTHING`;

const CLAIM = `INSERT INTO calls (key, status, input) VALUES ($1, 'claimed', $2) ON CONFLICT DO NOTHING`;
const RESERVE_FENCED = `UPDATE counters SET used = used + 1 WHERE name = 'fenced' AND used < cap`;
const SETTLE = `UPDATE calls SET status = $2, answer = $3, settled_at = now() WHERE key = $1 AND status = 'claimed'`;
const READ = 'SELECT status, answer FROM calls WHERE key = $1 AND settled_at IS NOT NULL';

const isInput = new Ajv().compile<Input>(INPUT_SCHEMA);

/** The steps of the job, which all peers share. They differ in who runs the steps, and in what order they commit. */
export class Job {
  private readonly task: PeerTask;
  private readonly pool: Pool;

  private constructor(task: PeerTask) {
    this.task = task;
    this.pool = new Pool({ connectionString: task.databaseUrl, max: CONNECTIONS_MAX });
    this.pool.on('error', (error) => console.error(error));
  }

  static async open(task: PeerTask): Promise<Job> {
    const job = new Job(task);
    await job.pool.query(TABLES);
    return job;
  }

  isInput(body: unknown): body is Input {
    return isInput(body);
  }

  /** As many write it: a repeat reserves again. */
  async reserve(): Promise<void> {
    const { rowCount } = await this.send('reserve', RESERVE, []);
    if (rowCount !== 1) throw new Error('the counter is at its cap');
  }

  /** Idempotent by key. */
  async reserveOnce(key: string): Promise<void> {
    const { rows } = await this.send<{ is_reserved: boolean }>('reserve_once', RESERVE_ONCE, [key]);
    if (rows[0]?.is_reserved !== true) throw new Error('the counter is at its cap');
  }

  /** POST to the target. Throws where it does not answer 200 in time. */
  async call(key: string, input: Input): Promise<unknown> {
    using deadline = new Deadline(CALL_TIMEOUT_MS);
    const response = await fetch(this.task.targetUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.task.secret}`,
        'idempotency-key': key,
      },
      body: JSON.stringify({ message: input.message }),
      signal: deadline.signal,
    });
    if (response.status !== 200) throw new Error(`the target answered ${response.status}`);
    return await response.json(); // within the deadline
  }

  /** Idempotent by key. */
  async record(key: string, input: Input, answer: unknown): Promise<void> {
    await this.send('record', RECORD, [key, input, answer]);
  }

  async recorded(key: string): Promise<Outcome | null> {
    const { rows } = await this.send<Outcome>('read', READ, [key]);
    const [row] = rows;
    if (row === undefined) return null;
    return row.answer === null ? { status: row.status } : row;
  }

  /**
   * The fenced form, as one step that may run twice: the claim and the reservation are committed before the call, and a
   * run that finds them records `unknown` and calls nobody.
   */
  async fencedCall(key: string, input: Input): Promise<Outcome> {
    const claimed = await this.claim(key, input);
    if (claimed === 'refused') return this.settle(key, { status: 'refused' });
    if (claimed === 'taken') return this.settle(key, { status: 'unknown' });
    try {
      return await this.settle(key, { status: 'succeeded', answer: await this.call(key, input) });
    } catch {
      return this.settle(key, { status: 'unknown' });
    }
  }

  private async claim(key: string, input: Input): Promise<'made' | 'taken' | 'refused'> {
    const db = await this.pool.connect();
    try {
      await db.query('BEGIN');
      const isNew = (await this.send('claim', CLAIM, [key, input], db)).rowCount === 1;
      const isReserved = isNew && (await this.send('reserve_fenced', RESERVE_FENCED, [], db)).rowCount === 1;
      await db.query('COMMIT');
      if (!isNew) return 'taken';
      return isReserved ? 'made' : 'refused';
    } catch (error) {
      await db.query('ROLLBACK').catch(() => undefined); // the connection may be what failed
      throw error;
    } finally {
      db.release();
    }
  }

  /** What is settled stays. Returns what is on record. */
  private async settle(key: string, outcome: Outcome): Promise<Outcome> {
    const { rowCount } = await this.send('settle', SETTLE, [key, outcome.status, outcome.answer ?? null]);
    return rowCount === 1 ? outcome : ((await this.recorded(key)) ?? outcome);
  }

  /** As a prepared statement. */
  private send<Row extends object>(
    name: string,
    text: string,
    values: unknown[],
    db: Pool | PoolClient = this.pool,
  ): Promise<QueryResult<Row>> {
    const statement: QueryConfig = { name, text, values };
    return db.query<Row>(statement);
  }
}
