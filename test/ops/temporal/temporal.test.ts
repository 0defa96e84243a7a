import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../embedded/ports.ts';
import { startPostgres } from '../../../embedded/postgres.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { createAction, invoke } from '../../api/invocations/support.ts';
import { AS_IT_SHOULD, everydayWork, invokeGoverned } from '../../faults/everyday-work.ts';
import { sentTo, untilSeen } from '../../faults/seen.ts';
import { SeparateProcesses } from '../../faults/separate-processes.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { startTarget } from '../../harness/target.ts';
import { clientOptions, HOST, makeAuthority, serverSettings, startKeyIssuer } from './security.ts';
import { makeTemporalDatabases, missing, startTemporalServer, validateDynamicConfig } from './temporal-server.ts';

/**
 * The shape of production: Temporal's own server and the service on one PostgreSQL that is durable, with the namespace and the search
 * attributes that our own command makes. The server wants client certificates and API keys; every other test connects without.
 */

if (missing.length > 0) console.warn(`Nothing runs on Temporal's own server: skipped: ${missing.join('; ')}`);
const WEEK_SECONDS = 7 * 86_400;
const DYNAMIC_CONFIG = path.join(projectRoot(), 'ops', 'temporal', 'dynamic-config.yaml');

async function start() {
  const folder = mkdtempSync(path.join(tmpdir(), 'temporal-profile-'));
  chmodSync(folder, 0o711); // PostgreSQL may have to run as another account
  closesWithFile(async () => rmSync(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: path.join(folder, 'pg'), port: 0 });
  closesWithFile(() => postgres.stop());
  await makeTemporalDatabases(postgres.ownerUrl);
  const authority = makeAuthority(path.join(folder, 'tls'), 'authority');
  const [keys, own] = [await startKeyIssuer(), authority.issue('service')];
  const administrator = keys.apiKey(['temporal-system:admin']);
  const connect = clientOptions(authority, own, administrator);
  const environment = serverSettings(authority, keys);
  const services = ['frontend', 'internal-frontend', 'history', 'matching', 'worker'];
  const [temporal, database, target, port] = await Promise.all([
    startTemporalServer({ ownerUrl: postgres.ownerUrl, environment, services, connect }),
    createTestDatabase({ serverUrl: postgres.ownerUrl }),
    startTarget(),
    freePort(),
  ]);
  const processes = await SeparateProcesses.start({
    database,
    temporal,
    environment: {
      FILES_DIR: path.join(folder, 'files'),
      PORT: String(port),
      OWN_ENDPOINTS: `127.0.0.1:${port}`,
      TEMPORAL_TLS_CA: authority.certificate,
      TEMPORAL_TLS_SERVER_NAME: HOST,
      TEMPORAL_TLS_CERT: own.certificate,
      TEMPORAL_TLS_KEY: own.key,
      TEMPORAL_API_KEY: keys.apiKey(['default:read', 'default:write', 'default:worker']),
    },
  });
  const asAdministrator = { TEMPORAL_API_KEY: administrator };
  const made = await processes.command('setup-temporal.js', [], asAdministrator);
  const [api, worker] = await Promise.all([
    processes.startApi(),
    // What waits for its heartbeats is shorter than in production: it is killed.
    processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS: '4' }),
  ]);
  return { folder, temporal, connect, keys, processes, asAdministrator, made, api, worker, target };
}

describe.skipIf(missing.length > 0)('on Temporal’s own server', async () => {
  if (missing.length > 0) return;
  const { folder, temporal, connect, keys, processes, asAdministrator, made, api, worker, target } = await start();

  test('temporal:setup makes the namespace for a week, and its search attributes', async () => {
    expect(made).toMatchObject({ isOk: true, errors: '' });
    expect(made.output).toMatch(/^Made the namespace default\.\nRegistered: /);
    const connection = await Connection.connect({ address: temporal.address, ...connect });
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(WEEK_SECONDS);
    const again = await processes.command('setup-temporal.js', [], asAdministrator);
    expect(again).toEqual({ isOk: true, output: 'All search attributes are there already.\n', errors: '' });
  });

  test('the server takes each setting of ops/temporal, and would complain about one that it does not know', () => {
    expect(validateDynamicConfig(DYNAMIC_CONFIG)).toEqual({ isValid: true, output: `${DYNAMIC_CONFIG}\n` });
    const misspelt = path.join(folder, 'misspelt.yaml');
    writeFileSync(misspelt, 'matching.enableFairnes:\n  - value: true\n');
    expect(validateDynamicConfig(misspelt).output).toContain('enablefairnes');
  });

  test('governed calls, approvals, retried deliveries and schedules go their way', async () => {
    expect(await everydayWork(processes, api, target)).toEqual(AS_IT_SHOULD);
  });

  test('a call in hand of a worker that is killed is unknown, and sent once; the next worker goes on', async () => {
    const url = '/hang?killed';
    const action = await createAction(api, { url: `${target.baseUrl}${url}` }, { timeoutMs: 120_000 });
    const replied = invoke(api, action);
    await untilSeen(target, [url]);
    await worker.end('SIGKILL');
    await processes.startWorker();
    expect((await replied).invocation).toMatchObject({ status: 'unknown', grade: 'unknown' });
    expect(await sentTo(target, url)).toBe(1);
    expect(await invokeGoverned({ processes, api, target })).toEqual(AS_IT_SHOULD.governed);
  });

  test('the doctor finds nothing to do', async () => {
    const told = await processes.command('doctor.js', ['--json'], asAdministrator);
    const { checks } = JSON.parse(told.output) as { checks: { name: string; status: string; message: string }[] };
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(told.isOk).toBe(true);
    const ok = new Set(checks.filter(({ status }) => status === 'ok').map(({ name }) => name));
    for (const name of ['temporal', 'temporal-version', 'namespace', 'retention', 'search-attributes', 'fsync'])
      expect(ok).toContain(name);
  });

  test('a process that Temporal does not let in says what is wrong', async () => {
    const stranger = makeAuthority(path.join(folder, 'stranger'), 'stranger');
    const foreign = stranger.issue('service');
    const wrong: [string, Record<string, string>][] = [
      ['its certificate is not signed by an authority of TEMPORAL_TLS_CA', { TEMPORAL_TLS_CA: stranger.certificate }],
      [
        'its certificate does not name this host: see TEMPORAL_TLS_SERVER_NAME',
        { TEMPORAL_TLS_SERVER_NAME: 'another.test' },
      ],
      [
        'it refuses the certificate of TEMPORAL_TLS_CERT',
        { TEMPORAL_TLS_CERT: foreign.certificate, TEMPORAL_TLS_KEY: foreign.key },
      ],
      ['it asks for a client certificate: see TEMPORAL_TLS_CERT', { TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }],
    ];
    for (const [reason, changed] of wrong) {
      const doctor = await processes.command('doctor.js', ['--json'], changed);
      expect(doctor.output).toContain(`Temporal does not answer at ${temporal.address}: ${reason}`);
    }
    const [[reason, changed] = ['', {}]] = wrong;
    const said = `Temporal does not answer at ${temporal.address}: ${reason}`;
    await Promise.all([
      expect(processes.startApi({ ...changed, PORT: '0' })).rejects.toThrow(said),
      expect(processes.startWorker(changed)).rejects.toThrow(said),
    ]);
    const ofAnother = { TEMPORAL_API_KEY: keys.apiKey(['other:write']) };
    await expect(processes.startWorker(ofAnother)).rejects.toThrow('Request unauthorized');
  });
});
