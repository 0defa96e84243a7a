import { WAITS_FOR_STANDBY } from '../../db/metrics/installation-figures.ts';
import type { Session } from './session.ts';

/** What PostgreSQL says of itself and of the login, in one statement. An ordinary login may read all of it. */
export interface ServerFacts {
  login: string;
  versionNumber: number;
  version: string;
  isSuperuser: boolean;
  bypassesRowSecurity: boolean;
  /** CREATEROLE, CREATEDB and REPLICATION, where the login itself has them. */
  attributes: string[];
  /** What the login, or a role that it can become, owns in this database. */
  owned: number;
  /** Tables of tenants without forced row-level security. */
  unforcedTables: string[];
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
  isolation: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  synchronousStandbyNames: string;
  /** Receivers of WAL that count as synchronous now; those of other roles are counted, and their state is not shown. */
  standbys: number;
  /** Commits of this login that have waited long for a standby. */
  commitsWaiting: number;
  autovacuum: string;
  transactionAge: number;
  connectionsMax: number;
  connectionsUsed: number;
  /** The login's own bound; -1: none. */
  loginConnectionsMax: number;
  hasVectorExtension: boolean;
  isEncrypted: boolean;
  /** Unix time. */
  clockSeconds: number;
  /** The server process of this connection, which is another one than was announced where something pools connections. */
  serverPid: number;
  /** When this machine asked, and how long the answer took. */
  askedAtMs: number;
  tookMs: number;
}

const MEMBER = `pg_has_role(current_user, r.oid, 'MEMBER')`;
const setting = (name: string, as: string): string => `current_setting('${name}') AS "${as}"`;

const LOGIN = `
  current_user AS login,
  EXISTS (SELECT FROM pg_roles r WHERE r.rolsuper AND ${MEMBER}) AS "isSuperuser",
  EXISTS (SELECT FROM pg_roles r WHERE r.rolbypassrls AND ${MEMBER}) AS "bypassesRowSecurity",
  (SELECT array_remove(ARRAY[CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END, CASE WHEN r.rolcreatedb THEN 'CREATEDB' END,
    CASE WHEN r.rolreplication THEN 'REPLICATION' END], NULL) FROM pg_roles r WHERE r.rolname = current_user) AS attributes,
  (SELECT count(*)::integer FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
    WHERE d.refclassid = 'pg_authid'::regclass AND d.deptype = 'o' AND ${MEMBER}
      AND (d.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
        OR (d.dbid = 0 AND d.classid = 'pg_database'::regclass AND d.objid = (SELECT oid FROM pg_database WHERE datname = current_database())))
  ) AS owned,
  (SELECT r.rolconnlimit FROM pg_roles r WHERE r.rolname = current_user) AS "loginConnectionsMax"`;

const TABLES = `
  ARRAY(SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT (c.relrowsecurity AND c.relforcerowsecurity) AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
      AND NOT a.attisdropped AND a.attname IN ('workspace_id', 'environment_id', 'user_id')) ORDER BY 1) AS "unforcedTables",
  EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') AS "hasVectorExtension"`;

const SERVER = [
  setting('server_version_num', 'versionNumber').replace(' AS', '::integer AS'),
  setting('server_version', 'version'),
  setting('server_encoding', 'encoding'),
  `pg_is_in_recovery() AS "isStandby"`,
  setting('default_transaction_read_only', 'isReadOnly').replace(' AS', `::boolean AS`),
  setting('default_transaction_isolation', 'isolation'),
  setting('fsync', 'fsync'),
  setting('full_page_writes', 'fullPageWrites'),
  setting('synchronous_commit', 'synchronousCommit'),
  setting('synchronous_standby_names', 'synchronousStandbyNames'),
  // A login without pg_read_all_stats sees that a standby is connected, and not how.
  `(SELECT count(*)::integer FROM pg_stat_replication s
    WHERE s.sync_state IS NULL OR (s.sync_state IN ('sync', 'quorum') AND s.state = 'streaming')) AS standbys`,
  `(SELECT count(*)::integer FROM pg_stat_activity a WHERE ${WAITS_FOR_STANDBY}) AS "commitsWaiting"`,
  setting('autovacuum', 'autovacuum'),
  `(SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()) AS "transactionAge"`,
  `current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    - COALESCE(current_setting('reserved_connections', true)::integer, 0) AS "connectionsMax"`,
  `(SELECT sum(numbackends)::integer FROM pg_stat_database) AS "connectionsUsed"`,
  `COALESCE((SELECT s.ssl FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false) AS "isEncrypted"`,
  `pg_backend_pid() AS "serverPid"`,
  `extract(epoch FROM clock_timestamp())::double precision AS "clockSeconds"`,
].join(',\n  ');

const STATEMENT = `SELECT ${LOGIN}, ${TABLES}, ${SERVER}`;

export async function readServerFacts(session: Session): Promise<ServerFacts> {
  const askedAtMs = Date.now();
  const beganMs = performance.now();
  const { rows } = await session.query<Omit<ServerFacts, 'askedAtMs' | 'tookMs'>>(STATEMENT);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL said nothing of itself');
  return { ...row, askedAtMs, tookMs: performance.now() - beganMs };
}
