import { readFileSync, statSync } from 'node:fs';
import type { Client } from 'pg';

/** What a database did: statements as clients send them, with BEGIN and COMMIT, and transactions. */
export interface DatabaseCounts {
  statements: number;
  transactions: number;
}

/** The database and the transaction (its virtual id) of each line. */
const PREFIX = '@%d|%v@ ';
const LINE = /^@(\w+)\|(\d+\/\d+)@ LOG: {2}(?:statement|execute [^:]*): /gm;

/**
 * Has PostgreSQL write each statement into its log, from the next statement of each session on. Statistics would not
 * do: a session reports its transactions up to 10 s later. What else would be counted, and is not the side's, is off
 * meanwhile.
 */
export async function logStatements(owner: Client, isOn: boolean): Promise<void> {
  const settings = {
    log_statement: isOn ? 'all' : 'none',
    log_line_prefix: isOn ? PREFIX : '',
    autovacuum: isOn ? 'off' : 'on',
    // Whether a change writes its whole page depends on when the last checkpoint was.
    full_page_writes: isOn ? 'off' : 'on',
  };
  for (const [name, value] of Object.entries(settings)) await owner.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await owner.query('SELECT pg_reload_conf()');
}

/** Where the log ends now: what follows begins there. */
export function endOfLog(file: string): number {
  return statSync(file).size;
}

export function countsSince(file: string, start: number): Map<string, DatabaseCounts> {
  return countLines(readFileSync(file).subarray(start).toString('utf8'));
}

/** By the name of the database. */
export function countLines(log: string): Map<string, DatabaseCounts> {
  const statements = new Map<string, number>();
  const transactions = new Map<string, Set<string>>();
  for (const [, database = '', transaction = ''] of log.matchAll(LINE)) {
    statements.set(database, (statements.get(database) ?? 0) + 1);
    transactions.set(database, (transactions.get(database) ?? new Set()).add(transaction));
  }
  return new Map(
    [...statements].map(([database, count]) => [
      database,
      { statements: count, transactions: transactions.get(database)?.size ?? 0 },
    ]),
  );
}
