import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { countStatements } from './servers.ts';
import { type Answer, callOnce, type Side, type SideName } from './side.ts';

/** What one call costs in PostgreSQL and Temporal, with one in flight. */
export interface Costs {
  calls: number;
  /** As the client sends them, with BEGIN and COMMIT: what functions and triggers run is not counted. */
  statements: number;
  transactions: number;
  /** Without full pages. */
  walBytes: number;
  /** Null for a side without Temporal. */
  historyEvents: number | null;
}

/** A session that is at rest reports its transactions after 10 s. */
const REPORTED_MS = 11_000;
const QUIET_MS = 8_000;
const WARM_UP_CALLS = 10;

/** Counts until now. The maps are by database. */
interface Counts {
  atMs: number;
  walBytes: number;
  statements: Map<string, number>;
  transactions: Map<string, number>;
}

/**
 * Counts what the calls of each side cost, less what all processes do in the same time at rest. Sides that share a database are counted one
 * after the other, the others together: a session says late what transactions it had.
 */
export async function countCosts(
  owner: Client,
  sides: readonly Side[],
  calls: number,
): Promise<Partial<Record<SideName, Costs>>> {
  const costs: Partial<Record<SideName, Costs>> = {};
  await countStatements(owner, true);
  try {
    await delay(REPORTED_MS);
    const restBegan = await readCounts(owner);
    await delay(QUIET_MS);
    let settled = await readCounts(owner);
    const rest = ratesBetween(restBegan, settled);
    for (const batch of apartByDatabase(sides)) {
      const counted = new Map<Side, Omit<Costs, 'transactions'>>();
      for (const side of batch) counted.set(side, await countSide(owner, side, calls, rest));
      await delay(REPORTED_MS);
      const now = await readCounts(owner);
      for (const [side, cost] of counted) {
        const made = difference(settled.transactions, now.transactions, side.database);
        const atRest = (rest.transactions.get(side.database) ?? 0) * (now.atMs - settled.atMs);
        // The warm-up's are among them.
        costs[side.name] = { ...cost, transactions: (made - atRest) / (calls + WARM_UP_CALLS) };
      }
      settled = now;
    }
    return costs;
  } finally {
    await countStatements(owner, false);
  }
}

async function countSide(owner: Client, side: Side, calls: number, rest: Rates): Promise<Omit<Costs, 'transactions'>> {
  await makeCalls(side, WARM_UP_CALLS);
  const before = await readCounts(owner);
  const answers = await makeCalls(side, calls);
  const after = await readCounts(owner);
  const elapsedMs = after.atMs - before.atMs;
  const statements =
    difference(before.statements, after.statements, side.database) -
    (rest.statements.get(side.database) ?? 0) * elapsedMs;
  const events = await side.countEvents(answers);
  return {
    calls,
    statements: statements / calls,
    walBytes: (after.walBytes - before.walBytes - rest.walBytes * elapsedMs) / calls,
    historyEvents: events === null ? null : events / calls,
  };
}

async function makeCalls(side: Side, calls: number): Promise<{ key: string; answer: Answer }[]> {
  const answers: { key: string; answer: Answer }[] = [];
  for (let made = 0; made < calls; made++) {
    const key = crypto.randomUUID();
    answers.push({ key, answer: await callOnce(side, key, 'hello') });
  }
  return answers;
}

/** Groups in which no database stands twice. */
export function apartByDatabase<T extends { database: string }>(sides: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (const side of sides) {
    const group = groups.find((one) => one.every(({ database }) => database !== side.database));
    if (group === undefined) groups.push([side]);
    else group.push(side);
  }
  return groups;
}

const READ = `SELECT d.datname AS name, d.xact_commit + d.xact_rollback AS transactions,
    coalesce((SELECT sum(s.calls) FROM pg_stat_statements s WHERE s.dbid = d.datid), 0) AS statements,
    pg_current_wal_insert_lsn() - '0/0' AS wal_bytes
  FROM pg_stat_database d WHERE d.datname IS NOT NULL`;

async function readCounts(owner: Client): Promise<Counts> {
  const { rows } = await owner.query<Record<'name' | 'transactions' | 'statements' | 'wal_bytes', string>>(READ);
  return {
    atMs: performance.now(),
    walBytes: Number(rows[0]?.wal_bytes),
    statements: new Map(rows.map((row) => [row.name, Number(row.statements)])),
    transactions: new Map(rows.map((row) => [row.name, Number(row.transactions)])),
  };
}

/** For each ms. */
type Rates = Omit<Counts, 'atMs'>;

function ratesBetween(before: Counts, after: Counts): Rates {
  const elapsedMs = after.atMs - before.atMs;
  const ratesOf = (kind: 'statements' | 'transactions'): Map<string, number> =>
    new Map([...after[kind].keys()].map((name) => [name, difference(before[kind], after[kind], name) / elapsedMs]));
  return {
    walBytes: (after.walBytes - before.walBytes) / elapsedMs,
    statements: ratesOf('statements'),
    transactions: ratesOf('transactions'),
  };
}

function difference(before: Map<string, number>, after: Map<string, number>, name: string): number {
  return (after.get(name) ?? 0) - (before.get(name) ?? 0);
}
