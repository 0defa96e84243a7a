import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { refusalBeforeTheBaseline } from '../../db/before-the-baseline.ts';
import { MIGRATIONS } from '../../db/migrations/index.ts';
import { type Check, fail, type Finding, ok } from './check.ts';
import type { Session } from './session.ts';
import type { Subject } from './subject.ts';

const PAGE = 'operations.md#postgresql';
const HEARD_MS_MAX = 1_500;

/** How PostgreSQL is reached, and what the database holds. */
export const DATABASE_CHECKS: readonly Check[] = [
  {
    name: 'postgres',
    page: PAGE,
    holds: 'PostgreSQL lets the login of DATABASE_URL in',
    run: async (subject) => {
      const { values, environment } = subject.settings;
      if (values.DATABASE_URL === null && (environment['DATABASE_URL'] ?? '') !== '')
        return fail('DATABASE_URL cannot be used', 'see the check of the configuration');
      if (values.DATABASE_URL === null) {
        return fail(
          'DATABASE_URL is not set, and no stack of npm start runs on DATA_DIR',
          'set DATABASE_URL, or run npm start',
        );
      }
      try {
        await subject.postgres();
      } catch (error) {
        return fail(
          `PostgreSQL does not let DATABASE_URL in (${error instanceof Error ? messageOf(error) : String(error)})`,
          'correct the address or the password, or start PostgreSQL',
        );
      }
      return ok('PostgreSQL lets the login of DATABASE_URL in.');
    },
  },
  {
    name: 'migrations',
    page: 'operations.md#upgrade',
    holds: 'The database has exactly the migrations of this release',
    needs: ['postgres'],
    run: async (subject) => judgeMigrations(await appliedMigrations(subject)),
  },
  {
    name: 'notifications',
    page: PAGE,
    holds: 'A session hears notifications, also through a pooler',
    needs: ['postgres'],
    run: judgeNotifications,
  },
  {
    name: 'prepared-statements',
    page: PAGE,
    holds: 'Prepared statements outlive their transaction, also through a pooler',
    needs: ['postgres'],
    run: async (subject) => judgePrepared(await subject.postgres()),
  },
];

async function appliedMigrations(subject: Subject): Promise<string[]> {
  const session = await subject.postgres();
  const { rows } = await session.query<{ readable: boolean }>(
    `SELECT to_regprocedure('public.list_applied_migrations()') IS NOT NULL AS readable`,
  );
  if (rows[0]?.readable !== true) return [];
  const applied = await session.query<{ name: string }>('SELECT name FROM list_applied_migrations()');
  return applied.rows.map(({ name }) => name);
}

export function judgeMigrations(applied: readonly string[]): Finding {
  const known = MIGRATIONS.map(({ name }) => name);
  const refusal = refusalBeforeTheBaseline([...applied]);
  if (refusal !== null) return fail(refusal, 'start with a new database');
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    return fail(`The database has migrations of a newer release (${unknown.join(', ')})`, 'start that release');
  }
  const missing = known.filter((name) => !applied.includes(name));
  return missing.length > 0
    ? fail(
        `The database lacks ${missing.length} of ${known.length} migrations, the first is ${missing[0]}`,
        "run `npm run db:migrate` with the owner's login before the processes start",
      )
    : ok(`The database has all ${known.length} migrations of this release.`);
}

/** A pooler announces a process of its own. In its transaction mode nobody hears what is notified. */
async function judgeNotifications(subject: Subject): Promise<Finding> {
  const [session, listener, { serverPid }] = await Promise.all([
    subject.postgres(),
    subject.listener(),
    subject.server(),
  ]);
  const isPooled = session.announcedPid !== serverPid;
  if (!(await isHeard(listener, subject.settings.values.DATABASE_URL ?? ''))) {
    return fail(
      `A session does not hear notifications${isPooled ? ', and a pooler stands before PostgreSQL' : ''}`,
      'set DATABASE_LISTEN_URL to the primary itself, with the same login, or let the pooler be in session mode',
    );
  }
  return ok(
    isPooled
      ? 'A pooler stands before PostgreSQL, and sessions hear notifications.'
      : 'There is no pooler, and sessions hear notifications.',
  );
}

async function isHeard(listener: Session, url: string): Promise<boolean> {
  const channel = `doctor_${randomUUID().replaceAll('-', '')}`;
  const notifier = new Client({ connectionString: url, connectionTimeoutMillis: HEARD_MS_MAX });
  notifier.on('error', () => undefined); // its statement reports it
  const heard = listener.hears(channel);
  try {
    await Promise.all([listener.query(`LISTEN ${channel}`), notifier.connect()]);
    await notifier.query(`NOTIFY ${channel}`);
    return await Promise.race([heard, delay(HEARD_MS_MAX, false)]);
  } finally {
    await Promise.all([listener.query(`UNLISTEN ${channel}`), notifier.end()]);
  }
}

export async function judgePrepared(session: Pick<Session, 'query'>): Promise<Finding> {
  const statement = { name: 'doctor', text: 'SELECT 1' };
  try {
    for (let time = 0; time < 3; time++) await session.query(statement);
  } catch (error) {
    return fail(
      `A prepared statement was lost (${error instanceof Error ? messageOf(error) : String(error)})`,
      'let the pooler be PgBouncer 1.21 or newer with max_prepared_statements, or connect directly',
    );
  }
  return ok('Prepared statements outlive their transaction.');
}

/** A refused connection is an AggregateError without a sentence. */
function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return (first?.message ?? error.message).replace(/\.$/, '');
}
