import { setTimeout as delay } from 'node:timers/promises';
import type { Servers } from './servers.ts';
import { type Answer, callOnce, type Side, type SideName } from './side.ts';
import { countsSince, type DatabaseCounts, endOfLog, logStatements } from './statement-log.ts';

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

/** What the sides do at rest is read for so long, once all calls before have ended. */
const REST_MS = 8_000;
const WARM_UP_CALLS = 10;

/** What PostgreSQL did in a time. The map is by database. */
interface Done {
  ms: number;
  walBytes: number;
  databases: Map<string, DatabaseCounts>;
}

/** Counts what the calls of each side cost, less what all processes do in the same time at rest. */
export async function countCosts(
  servers: Servers,
  sides: readonly Side[],
  calls: number,
): Promise<Partial<Record<SideName, Costs>>> {
  const costs: Partial<Record<SideName, Costs>> = {};
  await logStatements(servers.owner, true);
  try {
    const { done: rest } = await during(servers, () => delay(REST_MS));
    for (const side of sides) costs[side.name] = await countSide(servers, side, calls, rest);
    return costs;
  } finally {
    await logStatements(servers.owner, false);
  }
}

async function countSide(servers: Servers, side: Side, calls: number, rest: Done): Promise<Costs> {
  await makeCalls(side, WARM_UP_CALLS);
  const { done, result: answers } = await during(servers, () => makeCalls(side, calls));
  const perCall = (figure: (of: Done) => number): number => (figure(done) - (figure(rest) / rest.ms) * done.ms) / calls;
  const events = await side.countEvents(answers);
  return {
    calls,
    statements: perCall(({ databases }) => databases.get(side.database)?.statements ?? 0),
    transactions: perCall(({ databases }) => databases.get(side.database)?.transactions ?? 0),
    walBytes: perCall(({ walBytes }) => walBytes),
    historyEvents: events === null ? null : events / calls,
  };
}

async function during<T>({ owner, postgresLog }: Servers, work: () => Promise<T>): Promise<{ done: Done; result: T }> {
  const walEnd = async (): Promise<number> => {
    const { rows } = await owner.query<{ wal: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS wal`);
    return Number(rows[0]?.wal);
  };
  const [walBefore, logBefore, startedAtMs] = [await walEnd(), endOfLog(postgresLog), performance.now()];
  const result = await work();
  const ms = performance.now() - startedAtMs;
  const databases = countsSince(postgresLog, logBefore);
  return { done: { ms, walBytes: (await walEnd()) - walBefore, databases }, result };
}

async function makeCalls(side: Side, calls: number): Promise<{ key: string; answer: Answer }[]> {
  const answers: { key: string; answer: Answer }[] = [];
  for (let made = 0; made < calls; made++) {
    const key = crypto.randomUUID();
    answers.push({ key, answer: await callOnce(side, key, 'hello') });
  }
  return answers;
}
