import { type Check, fail, ok, skipped } from './check.ts';
import { judged } from './judged.ts';
import type { Settings } from './settings.ts';

const PAGE = 'operations.md#postgresql';
const VERSION_MIN = 160_000;
const SKEW_SECONDS_MAX = 2;
const CONNECTIONS_USED_MAX = 0.85;
/** PostgreSQL warns 40 million transactions before the end of two billion, and then refuses. */
const TRANSACTION_AGE_MAX = 1_500_000_000;
const DURABLE = new Set(['on', 'remote_apply', 'remote_write', 'local']);
const REPLICATED = new Set(['on', 'remote_apply']);
/** A deployment that declares it is held to it. */
const wantsStandby = ({ environment }: Settings): boolean => environment['REQUIRE_SYNC_STANDBY'] === '1';

const isOn = (name: string, page: string, read: (facts: { fsync: string; fullPageWrites: string }) => string) =>
  judged(name.replaceAll('_', '-'), page, `PostgreSQL’s ${name} is on`, (facts) =>
    read(facts) === 'on'
      ? ok(`${name} is on.`)
      : fail(
          `PostgreSQL’s ${name} is off, so a power cut can undo what was acknowledged or break its files`,
          `set ${name} = on`,
        ),
  );

/** The server itself, and what it promises of a commit. */
export const SERVER_CHECKS: readonly Check[] = [
  judged('postgres-version', PAGE, 'PostgreSQL is version 16 or newer', ({ versionNumber, version }) =>
    versionNumber < VERSION_MIN
      ? fail(`PostgreSQL is version ${version}, and 16 is the oldest that is supported`, 'upgrade it')
      : ok(`PostgreSQL is version ${version}.`),
  ),
  judged('postgres-encoding', PAGE, 'The database’s encoding is UTF8', ({ encoding }) =>
    encoding === 'UTF8'
      ? ok('The encoding of the database is UTF8.')
      : fail(
          `The encoding of the database is ${encoding}, which cannot hold every text`,
          'make the database with ENCODING UTF8',
        ),
  ),
  judged('postgres-writable', PAGE, 'The server takes writes', ({ isStandby, isReadOnly }) => {
    if (isStandby) return fail('DATABASE_URL leads to a standby, which takes no writes', 'let it name the primary');
    return isReadOnly
      ? fail(
          'Transactions are read-only by default',
          'reset default_transaction_read_only of the login or the database',
        )
      : ok('The server is a primary and takes writes.');
  }),
  judged('postgres-isolation', PAGE, 'Transactions are READ COMMITTED by default', ({ isolation }) =>
    isolation === 'read committed'
      ? ok('Transactions are READ COMMITTED by default.')
      : fail(
          `Transactions are ${isolation.toUpperCase()} by default, and the service’s statements count on READ COMMITTED`,
          'reset default_transaction_isolation of the login or the database',
        ),
  ),
  isOn('fsync', PAGE, ({ fsync }) => fsync),
  isOn('full_page_writes', PAGE, ({ fullPageWrites }) => fullPageWrites),
  judged(
    'synchronous-commit',
    PAGE,
    'A commit is on disk when it is acknowledged',
    ({ synchronousCommit }, settings) => {
      const allowed = wantsStandby(settings) ? REPLICATED : DURABLE;
      return allowed.has(synchronousCommit)
        ? ok(`synchronous_commit is ${synchronousCommit}.`)
        : fail(
            `synchronous_commit is ${synchronousCommit}, so an acknowledged commit can be lost, and a claim with it`,
            'set synchronous_commit = on',
          );
    },
  ),
  judged(
    'standbys',
    'ha.md#synchronous-standbys',
    'With REQUIRE_SYNC_STANDBY=1, a synchronous standby is connected',
    (facts, settings) => {
      const { synchronousStandbyNames: names, standbys, commitsWaiting } = facts;
      // Whether or not somebody asked for it: a restored backup brings the names of standbys that it has not.
      if (commitsWaiting > 0) {
        return fail(
          `${commitsWaiting} commits have waited for a standby for more than ten seconds: none that synchronous_standby_names names is streaming`,
          'look at pg_stat_replication as a superuser',
        );
      }
      if (!wantsStandby(settings)) return skipped('REQUIRE_SYNC_STANDBY is not 1: no standby is asked for.');
      if (names === '') {
        return fail(
          'REQUIRE_SYNC_STANDBY is 1, and synchronous_standby_names is empty',
          'name the standbys, as ANY 1 (…)',
        );
      }
      return standbys > 0
        ? ok(`${standbys} standbys are connected, and no commit waits long for one.`)
        : fail('No synchronous standby is connected, so commits wait', 'bring a standby back, or add one');
    },
  ),
  judged(
    'connections',
    'runbooks.md#databaseconnections',
    'The pools of one API and one worker fit into max_connections',
    (facts, { values }) => {
      const pool = values.DATABASE_POOL_MAX ?? 0;
      // One listens, and one reads the figures.
      const apart = values.METRICS_ADDRESS === null ? 1 : 2;
      const wanted = (values.RUN_INVOCATIONS === true ? 3 : 2) * pool + 2 * apart;
      const most =
        facts.loginConnectionsMax >= 0
          ? Math.min(facts.loginConnectionsMax, facts.connectionsMax)
          : facts.connectionsMax;
      return wanted > most
        ? fail(
            `One API and one worker may open ${wanted} connections, and PostgreSQL gives this login ${most}`,
            'raise max_connections or lower DATABASE_POOL_MAX',
          )
        : ok(`One API and one worker may open ${wanted} of ${most} connections.`);
    },
  ),
  judged('connections-used', 'runbooks.md#databaseconnections', 'PostgreSQL has connections to spare', (facts) => {
    const { connectionsUsed: used, connectionsMax: most } = facts;
    return used / most > CONNECTIONS_USED_MAX
      ? fail(`${used} of ${most} connections are open`, 'raise max_connections, or close what holds them')
      : ok(`${used} of ${most} connections are open.`);
  }),
  judged(
    'postgres-clock',
    'runbooks.md#clockskew',
    'This machine’s clock and PostgreSQL’s agree within 2 s',
    (facts) => {
      const skew = (facts.askedAtMs + facts.tookMs / 2) / 1_000 - facts.clockSeconds;
      return Math.abs(skew) > SKEW_SECONDS_MAX
        ? fail(`This machine’s clock is ${skew.toFixed(1)} s ahead of PostgreSQL’s`, 'let both follow NTP')
        : ok(`This machine’s clock and PostgreSQL’s are ${Math.abs(skew).toFixed(2)} s apart.`);
    },
  ),
  judged(
    'vacuum',
    PAGE,
    'Autovacuum is on, and transaction ids are far from their end',
    ({ autovacuum, transactionAge }) => {
      if (autovacuum !== 'on')
        return fail('PostgreSQL’s autovacuum is off, so tables grow without end', 'set autovacuum = on');
      return transactionAge > TRANSACTION_AGE_MAX
        ? fail(
            `The oldest transaction id is ${transactionAge} old, and PostgreSQL stops at 2 billion`,
            'run VACUUM FREEZE, and end old transactions',
          )
        : ok(`Autovacuum is on, and the oldest transaction id is ${transactionAge} old.`);
    },
  ),
];
