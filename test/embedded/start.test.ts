import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { SCOPES, PRESET_SCOPES } from '../../domain/scopes.ts';
import { callJson } from '../../embedded/http-json.ts';
import { processesNaming } from '../../embedded/our-processes.ts';
import { projectRoot } from '../../process/project-root.ts';
import type { Credentials } from '../../embedded/credentials.ts';
import { freePorts, Program, readCredentials, runStart, startStackProcess } from '../harness/embedded-stack.ts';

/** Each is found by the command line of the server that uses it. */
const WITHOUT_THE_SWEEP = '/namespaces/default/workflows?query=WorkflowType%20!%3D%20%22sweepMaintenance%22';
const SERVER_FILES = ['postgres/cluster', 'temporal/temporal.db', 'demo-target.jsonl'];

/** One data folder that is started, killed, started again and stopped: the tests depend on this order. */
describe('npm start', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'embedded-'));
  const dataDir = path.join(parent, 'data');
  let ports: Awaited<ReturnType<typeof freePorts>>;
  let program: Program;
  let credentials: Credentials;

  beforeAll(async () => {
    chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
    ports = await freePorts();
    program = await startStackProcess(dataDir, { ...ports, LOG_LEVEL: 'debug' });
    credentials = readCredentials(dataDir);
  });
  afterAll(async () => {
    await program.end('SIGTERM');
    rmSync(parent, { recursive: true, force: true });
  });

  const invokePrintedCall = (output: string, action = 'demo.echo'): { data: Record<string, unknown> } => {
    const line = output.split('\n').find((candidate) => candidate.startsWith('curl ')) ?? '';
    return JSON.parse(execFileSync('sh', ['-c', line.replace('/demo.echo/', `/${action}/`)], { encoding: 'utf8' })) as {
      data: Record<string, unknown>;
    };
  };

  it('prints that it is ready, how long that took, and where everything is', () => {
    // bench/invoke measures speed and memory. Neither holds on a busy machine.
    expect(program.output).toMatch(/^Ready in \d+\.\d s\.$/m);
    const { baseUrl, temporalUiUrl } = credentials;
    const places = [
      ['API', baseUrl],
      ['API reference', `${baseUrl}/reference`],
      ['Console', `${baseUrl}/console/e`],
      ['First steps', `${baseUrl}/console/welcome`],
      ['Documentation', `${baseUrl}/docs`],
      ['Data', `${dataDir} (DATA_DIR)`],
      ['Temporal', `${temporalUiUrl}${WITHOUT_THE_SWEEP}`],
    ] as const;
    for (const [name, url] of places) expect(program.output).toContain(`\n  ${name.padEnd(13)}  ${url}\n`);
    const keys = /^ {2}Keys +(.+)$/m.exec(program.output)?.[1] ?? '';
    expect(path.resolve(projectRoot(), keys)).toBe(path.join(dataDir, 'credentials.json'));
  });

  it('says what takes its time, and how long it took', () => {
    expect(program.output).toMatch(/^Making the databases \(once, some 10 s\), and starting them with Temporal …$/m);
    expect(program.output).toMatch(/^Making the databases .*: \d+\.\d s\.$/m);
    expect(program.output).toContain('\nStarting the API and the worker …\n');
  });

  it('prints a command for another shell that finds this folder, and how to sign in to the console', async () => {
    const line = program.output.split('\n').find((candidate) => candidate.startsWith('eval ')) ?? '';
    expect(line).toContain(`DATA_DIR='${dataDir}' npm run`);
    const script = `${line} && printf '%s\\n' "$BASE" "$DATA_DIR" "$OWNER_EMAIL" "$OWNER_PASSWORD"`;
    const { PATH, HOME } = process.env;
    const printed = execFileSync('sh', ['-c', script], { cwd: projectRoot(), env: { PATH, HOME }, encoding: 'utf8' });
    const [base, folder, email = '', password = ''] = printed.trimEnd().split('\n');
    expect([base, folder]).toEqual([credentials.baseUrl, dataDir]);
    expect(program.output).toContain(`sign in as ${email}.`);
    expect(program.output).not.toContain(password);
    const body = new URLSearchParams({ email, password });
    const headers = { origin: credentials.baseUrl };
    const url = `${credentials.baseUrl}/console/sign-in`;
    const signedIn = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console']);
  });

  const command = async (file: string, ...args: string[]): Promise<{ code: number | null; output: string }> => {
    const run = new Program(['embedded/run.mjs', `embedded/commands/${file}.js`, ...args], { DATA_DIR: dataDir });
    return { code: await run.exited, output: run.output };
  };
  const COMMANDS = [
    ['verify-audit', [], 'Whole: '],
    ['expensive-work', ['status'], 'Expensive work is admitted.'],
    ['index-memories', ['status'], 'There is no memory.'],
    ['rewrap-secrets', [], 'Rewrapped '],
    ['migrate', [], 'The schema is the newest already.'],
    ['setup-temporal', [], 'All search attributes are there already.'],
    ['create-workspace', ['--name', 'Acme'], 'full_access'],
    ['doctor', [], ' 0 failed.'],
    ['recovery', ['show'], ': the first epoch.'],
    ['deploy', ['status'], 'No worker with a build id has polled'],
  ] as const;

  it.each(COMMANDS)('%s finds the stack by DATA_DIR, and says so', async (file, args, answer) => {
    const { code, output } = await command(file, ...args);
    expect(output).toContain(`this is the stack of npm start on ${dataDir} (DATA_DIR)`);
    expect([code, output]).toEqual([0, expect.stringContaining(answer)]);
  });

  it('replay and set-plan find the stack by DATA_DIR', async () => {
    const { id } = invokePrintedCall(program.output).data;
    const replayed = await command('replay', '--workflow-id', String(id));
    expect([replayed.code, replayed.output]).toEqual([0, expect.stringContaining('of invokeAction replay on this')]);
    const { output } = await command('set-plan', '--workspace', credentials.workspaceId, '--plan', 'enterprise');
    expect(output).toContain(`workspace ${credentials.workspaceId}: enterprise -> enterprise`);
  });

  it('writes credentials that its owner alone may read: four keys for each kind of environment', async () => {
    expect(statSync(path.join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(dataDir, 'master-keys')).mode & 0o777).toBe(0o600);
    expect(credentials).toMatchObject({
      baseUrl: `http://127.0.0.1:${ports.PORT}`,
      temporalUiUrl: `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`,
      temporalAddress: `127.0.0.1:${ports.TEMPORAL_PORT}`,
      environments: [{ kind: 'development' }, { kind: 'staging' }, { kind: 'production' }],
    });
    expect(credentials.keys.map(({ name, environment, preset }) => [environment, name, preset])).toEqual(
      ['development', 'staging', 'production'].flatMap((kind) => [
        [kind, 'full_access', 'full_access'],
        [kind, 'standard', 'standard'],
        [kind, 'all_scopes', null],
        [kind, 'agent', 'agent'],
      ]),
    );
    for (const { name, scopes, key, environment } of credentials.keys) {
      const expected = name === 'all_scopes' ? SCOPES : PRESET_SCOPES[name as 'full_access' | 'standard' | 'agent'];
      expect(new Set(scopes)).toEqual(new Set(expected));
      const headers = { authorization: `Bearer ${key}` };
      const identity = await callJson(`${credentials.baseUrl}/api/v2/auth/identity`, { headers });
      expect(identity.body).toMatchObject({
        data: { workspaceId: credentials.workspaceId, environment: { kind: environment } },
      });
    }
  });

  it('names a database login that row-level security binds', async () => {
    const client = new Client({ connectionString: credentials.databaseUrl });
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS seen FROM environments');
    await client.end();
    expect(rows).toEqual([{ seen: 0 }]);
  });

  it('serves the pages that it prints', async () => {
    const statuses = await Promise.all(
      [
        `${credentials.baseUrl}/reference`,
        `${credentials.baseUrl}/readyz`,
        `${credentials.temporalUiUrl}${WITHOUT_THE_SWEEP}`,
      ].map(async (url) => (await fetch(url)).status),
    );
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('prints a call that works when pasted, and confirms where the action reads back', () => {
    expect(invokePrintedCall(program.output).data).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    expect(invokePrintedCall(program.output, 'demo.echo_verified').data).toMatchObject({
      status: 'succeeded',
      grade: 'confirmed',
    });
  });

  it('prints the key of an agent in that call, and no other key', () => {
    const printed = credentials.keys.filter(({ key }) => program.output.includes(key));
    expect(printed.map(({ name, environment }) => [name, environment])).toEqual([['agent', 'development']]);
  });

  it.each(['development', 'production'] as const)(
    'prints BASE, AGENT, OPERATOR and PUBLISHER for a shell: %s',
    (kind) => {
      const command = `eval "$(node embedded/run.mjs embedded/commands/print-env.js ${kind})" && printf '%s\\n' "$BASE" "$AGENT" "$OPERATOR" "$PUBLISHER"`;
      const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
      const printed = execFileSync('sh', ['-c', command], { cwd: projectRoot(), env, encoding: 'utf8' });
      const keyNamed = (name: string) =>
        credentials.keys.find((key) => key.environment === kind && key.name === name)?.key;
      expect(printed.trimEnd().split('\n')).toEqual([
        credentials.baseUrl,
        keyNamed('agent'),
        keyNamed('full_access'),
        keyNamed('all_scopes'),
      ]);
    },
  );

  it('imports a description: the thread that reads it is among what was built', async () => {
    const key = credentials.keys.find(({ name }) => name === 'all_scopes')?.key;
    const document =
      'openapi: 3.1.0\ninfo: { title: Built }\nservers: [{ url: https://x.example }]\npaths: { /a: { get: {} } }';
    const { status, body } = await callJson(`${credentials.baseUrl}/api/v2/actions/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: { document },
    });
    expect([status, body]).toMatchObject([200, { data: [{ name: 'get.a', status: 'created' }] }]);
  });

  it('writes neither the demo credential nor a key into its log at debug level', () => {
    const log = readFileSync(path.join(dataDir, 'service.log'), 'utf8');
    expect(log).toContain('request');
    expect(log).not.toContain(readFileSync(path.join(dataDir, 'demo-credential'), 'utf8'));
    for (const { key } of credentials.keys) expect(log).not.toContain(key);
  });

  it('refuses a second start on the same data folder', async () => {
    const second = runStart(dataDir, await freePorts());
    expect(await second.exited).toBe(1);
    expect(second.output).toContain(`already running on ${dataDir} (process ${program.process.pid})`);
    expect(second.output).toContain(`DATA_DIR is ${dataDir}.`);
  });

  it('names the variable of each port that another program holds', async () => {
    const other = path.join(parent, 'other');
    const refused = runStart(other, ports);
    expect(await refused.exited).toBe(1);
    for (const [variable, port] of Object.entries(ports)) {
      expect(refused.output).toContain(
        `Port ${port} is taken by another program. Stop it, or set ${variable} to another port`,
      );
    }
    expect(processesNaming(path.join(other, 'temporal/temporal.db'))).toEqual([]);
  });

  it('finds all as it was after a SIGKILL', async () => {
    await program.end('SIGKILL');
    // The form of an earlier version, which created no keys for agents.
    const before = { ...credentials, keys: credentials.keys.filter(({ name }) => name !== 'agent') };
    writeFileSync(path.join(dataDir, 'credentials.json'), JSON.stringify(before));
    program = await startStackProcess(dataDir, ports);
    const after = readCredentials(dataDir);
    expect({ ...after, keys: after.keys.filter(({ name }) => name !== 'agent') }).toEqual(before);
    expect(after.keys.filter(({ name }) => name === 'agent').map(({ environment }) => environment)).toEqual(
      ENVIRONMENT_KINDS,
    );
    credentials = after;
    expect(invokePrintedCall(program.output).data).toMatchObject({ status: 'succeeded' });
  });

  it('ends the servers of a start that was killed where they outlived it', async () => {
    // What a system without parent-death signals leaves: a process whose command line names our data folder.
    const args = [
      '-e',
      'setInterval(() => {}, 1000)',
      '--',
      `--db-filename=${path.join(dataDir, 'temporal/temporal.db')}`,
    ];
    const { spawn } = await import('node:child_process');
    expect(await program.end('SIGTERM')).toBe(0);
    const orphan = spawn(process.execPath, args, { stdio: 'ignore' });
    const gone = new Promise((resolve) => orphan.once('exit', (_code, signal) => resolve(signal)));
    program = await startStackProcess(dataDir, ports);
    expect(await gone).toBe('SIGTERM');
  });

  it('stops everything on Ctrl-C, with exit code 0', async () => {
    expect(await program.end('SIGINT')).toBe(0);
    expect(program.output).toMatch(/Stopping …\nStopped\.\n$/);
    for (const file of SERVER_FILES) {
      expect(processesNaming(path.join(dataDir, file))).toEqual([]);
    }
    for (const [file, args] of [...COMMANDS, ['replay', ['--workflow-id', 'inv_1']] as const]) {
      // Doctor goes on, and says what else it finds.
      const told = file === 'doctor' ? 'no stack of npm start runs on' : `no stack runs on ${dataDir}`;
      const answer = await command(file, ...args);
      expect([file, answer.code, answer.output]).toEqual([file, 1, expect.stringContaining(told)]);
    }
  });

  it('refuses a data folder that a newer version wrote, and leaves it alone', async () => {
    const newer = path.join(parent, 'newer');
    cpSync(path.join(dataDir, 'version.json'), path.join(newer, 'version.json'), { recursive: true });
    writeFileSync(path.join(newer, 'version.json'), JSON.stringify({ folderVersion: 99 }));
    const refused = runStart(newer, ports);
    expect(await refused.exited).toBe(1);
    expect(refused.output).toContain('was written by a newer version of this service (folder version 99');
  });

  it('leaves nothing behind where Ctrl-C comes before it is ready', async () => {
    const interrupted = path.join(parent, 'interrupted');
    const begun = runStart(interrupted, ports);
    await expect.poll(() => processesNaming(path.join(interrupted, 'temporal/temporal.db'))).toHaveLength(1);
    expect(await begun.end('SIGINT')).toBe(130);
    const left = () => SERVER_FILES.flatMap((file) => processesNaming(path.join(interrupted, file)));
    await expect.poll(left).toEqual([]);
  });

  it('starts on what an interrupted start left half made', async () => {
    const again = await startStackProcess(path.join(parent, 'interrupted'), ports);
    expect(await again.end('SIGTERM')).toBe(0);
  });

  it('names every problem of its configuration at once', async () => {
    const refused = runStart(path.join(parent, 'never'), { PORT: 'eighty', EGRESS_ALLOW: 'everything' });
    expect(await refused.exited).toBe(1);
    expect(refused.output).toContain('PORT must be a port');
    expect(refused.output).toContain('EGRESS_ALLOW holds "everything"');
  });
});
