import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { describe, expect, inject, it } from 'vitest';
import { refuseOtherMasterKeys } from '../../../db/secrets/refuse-other-master-keys.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import type { Finding } from '../../../embedded/doctor/check.ts';
import { CHECKS } from '../../../embedded/doctor/checks.ts';
import { judgePrepared } from '../../../embedded/doctor/database-checks.ts';
import { judgeNewest } from '../../../embedded/doctor/key-checks.ts';
import { judgeMemory, judgeNode, judgeOpenFiles } from '../../../embedded/doctor/machine-checks.ts';
import { judgeProxied } from '../../../embedded/doctor/reach-checks.ts';
import type { Result } from '../../../embedded/doctor/run-checks.ts';
import { judgeDisk } from '../../../embedded/doctor/storage-checks.ts';
import {
  judgeClock,
  judgeDeployments,
  judgeRetention,
  judgeVersion,
} from '../../../embedded/doctor/temporal-checks.ts';
import { judgeSweep } from '../../../embedded/doctor/worker-checks.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { Program } from '../../harness/embedded-stack.ts';
import { answering, examine, examineAll, pooled, told } from './planted.ts';

/** Each check finds the fault that is planted for it, and a sound database and Temporal have none. */

const database = await createTestDatabase();
const { temporalAddress } = inject('stack');
const masterKey = (version: number): string => `${version}:${randomBytes(32).toString('base64')}`;
const KEYS = masterKey(1);
await refuseOtherMasterKeys(database.db, Vault.fromMasterKeys(KEYS));
const SOUND = { DATABASE_URL: database.applicationUrl, TEMPORAL_ADDRESS: temporalAddress, MASTER_KEYS: KEYS };
const name = new URL(database.applicationUrl).pathname.slice(1);
const CLOSED = '127.0.0.1:9';

/** A namespace without search attributes and workers. */
async function emptyNamespace(): Promise<string> {
  const namespace = `doctor-${randomBytes(4).toString('hex')}`;
  const connection = await Connection.connect({ address: temporalAddress });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
  return namespace;
}
const EMPTY = { ...SOUND, TEMPORAL_NAMESPACE: await emptyNamespace() };

/** Examines while the statement's fault is there. */
async function withFault(check: string, sql: string, undo: string, environment = SOUND): Promise<Result> {
  await database.asOwner(sql);
  try {
    return await examine(check, environment);
  } finally {
    await database.asOwner(undo);
  }
}

/** Examines as a login that is made for it. */
async function asRole(check: string, attributes: string): Promise<Result> {
  const role = `doctor_${randomBytes(4).toString('hex')}`;
  const url = new URL(database.applicationUrl);
  [url.username, url.password] = [role, 'planted-password'];
  const environment = { ...SOUND, DATABASE_URL: url.href };
  const made = `CREATE ROLE ${role} LOGIN ${attributes} PASSWORD 'planted-password'; GRANT CONNECT ON DATABASE ${name} TO ${role}`;
  return withFault(check, made, `DROP OWNED BY ${role}; DROP ROLE ${role}`, environment);
}

const settings = (check: string, changed: Record<string, string>) => () => examine(check, { ...SOUND, ...changed });
const empty = (check: string) => () => examine(check, EMPTY);
const figure = (check: string) => () => told(check, { figure: 1_000_000 });
const NOW_SECONDS = Date.now() / 1_000;

const FAULTS: Record<string, () => Promise<Result | Finding> | Finding> = {
  configuration: settings('configuration', { LOG_LEVEL: 'loud' }),
  placeholders: settings('placeholders', { S3_SECRET_ACCESS_KEY: 'change-me' }),
  'trusted-proxies-range': settings('trusted-proxies-range', { TRUSTED_PROXIES: '0.0.0.0/0' }),
  'egress-allow': settings('egress-allow', { EGRESS_ALLOW: '169.254.0.0/16' }),
  'provider-addresses': settings('provider-addresses', { STRIPE_API_BASE_URL: 'http://proxy.internal' }),
  'database-tls': settings('database-tls', { DATABASE_URL: 'postgresql://app:word@8.8.8.8/service' }),
  'temporal-tls': settings('temporal-tls', { TEMPORAL_ADDRESS: '8.8.8.8:7233' }),
  postgres: settings('postgres', { DATABASE_URL: `postgresql://app:planted-password@${CLOSED}/service` }),
  migrations: () =>
    withFault(
      'migrations',
      `CREATE TABLE put_by AS SELECT * FROM migrations ORDER BY id DESC LIMIT 1;
       DELETE FROM migrations WHERE id IN (SELECT id FROM put_by)`,
      'INSERT INTO migrations SELECT * FROM put_by; DROP TABLE put_by',
    ),
  notifications: async () => examine('notifications', { ...SOUND, DATABASE_URL: await pooled(SOUND.DATABASE_URL) }),
  'prepared-statements': () => {
    let asked = 0;
    const lost = new Error('prepared statement "doctor" does not exist');
    return judgePrepared({ query: (() => (asked++ === 0 ? Promise.resolve() : Promise.reject(lost))) as never });
  },
  'login-superuser': settings('login-superuser', { DATABASE_URL: database.ownerUrl }),
  'login-bypassrls': () => asRole('login-bypassrls', 'BYPASSRLS'),
  'login-attributes': () => asRole('login-attributes', 'CREATEDB'),
  'login-ownership': () =>
    withFault('login-ownership', 'CREATE SCHEMA planted AUTHORIZATION service_application', 'DROP SCHEMA planted'),
  'row-security': () =>
    withFault(
      'row-security',
      'ALTER TABLE invocations NO FORCE ROW LEVEL SECURITY',
      'ALTER TABLE invocations FORCE ROW LEVEL SECURITY',
    ),
  'postgres-version': () => told('postgres-version', { versionNumber: 150_004, version: '15.4' }),
  'postgres-encoding': () => told('postgres-encoding', { encoding: 'SQL_ASCII' }),
  'postgres-writable': () =>
    withFault(
      'postgres-writable',
      `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      `BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`,
    ),
  'postgres-isolation': () =>
    withFault(
      'postgres-isolation',
      `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`,
      `ALTER DATABASE ${name} RESET default_transaction_isolation`,
    ),
  // The PostgreSQL of tests is off in all three.
  fsync: settings('fsync', {}),
  'full-page-writes': settings('full-page-writes', {}),
  'synchronous-commit': settings('synchronous-commit', {}),
  standbys: settings('standbys', { REQUIRE_SYNC_STANDBY: '1' }),
  connections: settings('connections', { DATABASE_POOL_MAX: '1000' }),
  'connections-used': () => told('connections-used', { connectionsUsed: 95, connectionsMax: 100 }),
  'postgres-clock': () =>
    told('postgres-clock', { askedAtMs: (NOW_SECONDS + 5) * 1_000, tookMs: 1, clockSeconds: NOW_SECONDS }),
  vacuum: () => told('vacuum', { autovacuum: 'on', transactionAge: 1_900_000_000 }),
  'master-keys': settings('master-keys', { MASTER_KEYS: masterKey(1) }),
  'master-keys-newest': () => judgeNewest(KEYS, [{ version: 2, digest: Buffer.alloc(32) }]),
  'master-key-age': () =>
    withFault(
      'master-key-age',
      `UPDATE master_key_digests SET created_at = now() - interval '400 days'`,
      'UPDATE master_key_digests SET created_at = now()',
    ),
  temporal: settings('temporal', { TEMPORAL_ADDRESS: CLOSED }),
  'temporal-version': () => judgeVersion('1.28.3'),
  namespace: settings('namespace', { TEMPORAL_NAMESPACE: 'nowhere' }),
  retention: () => judgeRetention(3, 'postgres12'),
  'search-attributes': empty('search-attributes'),
  'temporal-clock': () => judgeClock({ askedAtMs: 10_000, seenAtMs: 10_100, serverMs: 14_000 }),
  'deployment-versions': () => judgeDeployments(new Map([['agent-actions', 99]])),
  'workers-workflows': empty('workers-workflows'),
  'workers-dispatches': empty('workers-dispatches'),
  'workers-notifications': empty('workers-notifications'),
  'workers-provider-reads': empty('workers-provider-reads'),
  'workers-maintenance': empty('workers-maintenance'),
  'sweep-schedule': empty('sweep-schedule'),
  'sweep-age': () => judgeSweep(1_000, true),
  'oldest-queued': figure('oldest-queued'),
  'oldest-place-wait': figure('oldest-place-wait'),
  'oldest-message': figure('oldest-message'),
  'overdue-work': () =>
    withFault(
      'overdue-work',
      `INSERT INTO workflow_starts (id, environment_id, kind, due_at)
       SELECT 'planted_' || n, '${database.tenant.environmentId}', 'event', now() - interval '1 hour' FROM generate_series(1, 30) n`,
      `DELETE FROM workflow_starts WHERE id LIKE 'planted%'`,
    ),
  reconciliation: figure('reconciliation'),
  'oldest-unknown': figure('oldest-unknown'),
  'unknown-exposure': figure('unknown-exposure'),
  'expensive-work': () =>
    withFault(
      'expensive-work',
      `UPDATE installation SET expensive_work_paused_at = now(), expensive_work_paused_reason = 'planted'`,
      'UPDATE installation SET expensive_work_paused_at = NULL, expensive_work_paused_reason = NULL',
    ),
  outbox: () =>
    withFault(
      'outbox',
      `INSERT INTO raised_events (environment_id, type, snapshot, occurred_at)
       VALUES ('${database.tenant.environmentId}', 'planted', '{}', now() - interval '1 hour')`,
      `DELETE FROM raised_events WHERE type = 'planted'`,
    ),
  api: async () =>
    examine('api', {
      ...SOUND,
      HOST: '127.0.0.1',
      PORT: (await answering(503, '{"checks":{"workers":"none"}}')).split(':')[1] ?? '',
    }),
  'worker-health': settings('worker-health', { HEALTH_ADDRESS: CLOSED }),
  metrics: settings('metrics', { METRICS_ADDRESS: CLOSED }),
  'temporal-metrics': settings('temporal-metrics', { TEMPORAL_METRICS_ADDRESS: CLOSED }),
  'public-url': async () =>
    examine('public-url', { ...SOUND, PUBLIC_URL: `http://${await answering(200, 'Welcome')}` }),
  'trusted-proxies': () => judgeProxied({ status: 403, text: '{"error":{"code":"HTTPS_REQUIRED"}}' }),
  'egress-guard': async () =>
    examine('egress-guard', {
      ...SOUND,
      HOST: '127.0.0.1',
      PORT: (await answering(200, '{}')).split(':')[1] ?? '',
      EGRESS_ALLOW: '127.0.0.0/8',
    }),
  'file-store': settings('file-store', { FILES_DIR: '/dev/null/files' }),
  'files-disk': () => judgeDisk({ blocks: 1_000_000, bavail: 50_000, bsize: 4_096 }),
  embeddings: settings('embeddings', { EMBEDDINGS_MODEL_PATH: '/nowhere' }),
  'mail-server': settings('mail-server', {
    SMTP_ADDRESS: CLOSED,
    MAIL_FROM: 'runtime@agents.internal',
    SMTP_TLS: 'off',
  }),
  'node-version': () => judgeNode('18.20.4', new Date()),
  'open-files': () => judgeOpenFiles(1_024, { HTTP_CONNECTIONS_MAX: 4_000, DATABASE_POOL_MAX: 20 }),
  memory: () => judgeMemory(256 * 1024 ** 2),
};

describe('each check finds its planted fault', () => {
  it.each(CHECKS)('$name', async (check) => {
    const fault = FAULTS[check.name];
    if (fault === undefined) throw new Error(`no fault is planted for ${check.name}: add one to FAULTS`);
    const result = await fault();
    expect(result).toMatchObject({ status: 'fail' });
    // A finding that a function judges by itself has no message yet.
    const said = 'message' in result ? result.message : `See docs/${check.page}`;
    expect(said).toContain(`See docs/${check.page}`);
    expect(said).not.toContain('planted-password');
  });
});

/** No process runs here, and this database's files need not outlive a power cut. */
const LEFT = /^(fsync|full-page-writes|synchronous-commit|workers-.*|sweep-schedule|api)$/;

describe('without a fault', () => {
  it('no check fails but for what this stack is without, within ten seconds', async () => {
    const beganMs = performance.now();
    const results = await examineAll(SOUND);
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(results.filter(({ status, name: check }) => status === 'fail' && !LEFT.test(check))).toEqual([]);
    expect(results.filter(({ status }) => status === 'ok').length).toBeGreaterThan(30);
  });

  it('a standby that is connected, and confirms no commit, is none', async () => {
    const facts = { synchronousStandbyNames: 'ANY 1 (other)', standbys: 1, commitsWaiting: 3 };
    const required = { REQUIRE_SYNC_STANDBY: '1' };
    expect(await told('standbys', facts, required)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('3 commits have waited for a standby') as string,
    });
    expect(await told('standbys', { ...facts, commitsWaiting: 0 }, required)).toMatchObject({ status: 'ok' });
    // A backup brings the names of standbys, also where nobody asks for one.
    expect(await told('standbys', facts, {})).toMatchObject({ status: 'fail' });
    expect(await told('standbys', { ...facts, commitsWaiting: 0 }, {})).toMatchObject({ status: 'skipped' });
  });

  it('the figures of metrics stay with the process that reads them', async () => {
    const [before] = await database.asOwner('SELECT figures_by, figures_at FROM installation');
    await examine('oldest-queued', SOUND);
    expect(await database.asOwner('SELECT figures_by, figures_at FROM installation')).toEqual([before]);
  });
});

describe('the command', () => {
  it('answers JSON with exit code 1 where nothing runs, and names no secret', async () => {
    const program = new Program(['embedded/run.mjs', 'embedded/commands/doctor.js', '--json'], {
      ...SOUND,
      DATABASE_URL: `postgresql://app:planted-password@${CLOSED}/service`,
      TEMPORAL_ADDRESS: CLOSED,
      SMTP_PASSWORD: 'planted-secret',
    });
    expect(await program.exited).toBe(1);
    const { checks } = JSON.parse(program.output.slice(program.output.indexOf('{\n'))) as { checks: Result[] };
    expect(checks.map((check) => check.name)).toEqual(CHECKS.map((check) => check.name));
    expect(new Set(checks.flatMap((check) => Object.keys(check)))).toEqual(new Set(['name', 'status', 'message']));
    expect(program.output).not.toMatch(/planted-(password|secret)/);
    expect(program.output).not.toContain(KEYS.slice(2));
    const skipped = checks.find((check) => check.name === 'fsync');
    expect(skipped).toEqual({
      name: 'fsync',
      status: 'skipped',
      message: 'It was not checked, because postgres failed.',
    });
  });
});
