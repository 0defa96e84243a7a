import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createGate, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { callJson } from '../../embedded/http-json.ts';
import { startTemporal, type RunningTemporal } from '../../embedded/temporal.ts';
import { memberSession } from '../api/harness/member-session.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';

/** The production shape: `server.ts` and `worker.ts` in their own processes, with a Temporal that only they use. */
describe('the API and the worker apart from each other', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'processes-'));
  let database: TestDatabase;
  let temporal: RunningTemporal;
  let environment: Record<string, string>;
  let api: Program;
  let worker: Program;
  let key: string;
  let baseUrl: string;
  const received: { request: IncomingMessage; response: ServerResponse }[] = [];
  let arrived: () => void = () => undefined;
  const target = createServer((request, response) => {
    received.push({ request, response });
    arrived();
  });

  const call = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
    callJson(`${baseUrl}${url}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  const create = async (method: string, url: string, body: unknown): Promise<void> => {
    const reply = await call(method, url, body);
    if (reply.status !== 201) throw new Error(`${method} ${url}: ${JSON.stringify(reply)}`);
  };

  const startWorkerProcess = async (): Promise<Program> => {
    const program = new Program(['embedded/run.mjs', 'worker.js'], environment);
    await program.printed('the worker polls');
    return program;
  };

  const startApiProcess = async (over: Record<string, string> = {}): Promise<void> => {
    api = new Program(['embedded/run.mjs', 'server.js'], { ...environment, ...over });
    await api.printed('the API listens');
    baseUrl = `http://127.0.0.1:${/"port":(\d+)/.exec(api.output)?.[1]}`;
  };

  /** Ends the lease of a dead process now, instead of at its expiry. */
  const endLease = (idempotencyKey: string) =>
    database.asOwner('UPDATE idempotency_claims SET lease_expires_at = now() WHERE key = $1', [idempotencyKey]);

  /** Invokes the action and returns when its target holds the request open. */
  const invokeAndReach = async (headers: Record<string, string> = {}) => {
    const reached = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const reply = call('POST', '/api/v2/actions/slow/invoke', { input: {} }, headers);
    await Promise.race([reached, reply]);
    const request = received.at(-1);
    if (request === undefined) throw new Error(`the target was not reached: ${JSON.stringify(await reply)}`);
    return { reply, request };
  };

  beforeAll(async () => {
    const logFile = path.join(folder, 'temporal.log');
    const binary = inject('stack').temporalCliPath;
    [database, temporal] = await Promise.all([
      createTestDatabase(),
      startTemporal({ binary, port: 0, uiPort: null, dbFile: null, logFile }),
    ]);
    environment = {
      DATABASE_URL: database.applicationUrl,
      TEMPORAL_ADDRESS: temporal.address,
      MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
      EGRESS_ALLOW: '127.0.0.1',
      PORT: '0',
      HOST: '127.0.0.1',
    };
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    await startApiProcess();
    worker = await startWorkerProcess();
    const made = await database.db.withEnvironment(database.tenant, (tx) =>
      createApiKey(tx, { name: 'test', preset: 'full_access' }),
    );
    key = made.key;
    const address = target.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    await create('PUT', '/api/v2/secrets/token', { value: 'the-secret-value' });
    const adapter = {
      type: 'http.request',
      config: { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: { 'x-token': '{{secret:token}}' } },
    };
    await create('POST', '/api/v2/actions', { name: 'slow', adapter, governed: true });
  });
  afterAll(async () => {
    await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL')]);
    target.closeAllConnections();
    target.close();
    await temporal.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('hand a dispatch in flight from a worker that is told to stop to the next one, without a second request', async () => {
    const { reply } = await invokeAndReach();
    const end = worker.end('SIGTERM');
    await worker.printed('"stopping"');
    received[0]?.response.end('{}');
    expect(await end).toBe(0);
    // The worker records the call before it exits; the next worker does the rest.
    const attempts = await database.asOwner('SELECT status, observed_outcome FROM attempts');
    expect(attempts).toEqual([{ status: 'completed', observed_outcome: 'succeeded' }]);

    const stopped = worker;
    worker = await startWorkerProcess();
    expect((await reply).body).toMatchObject({ data: { status: 'succeeded', grade: 'acknowledged' } });
    expect(received.map(({ request }) => request.headers['x-token'])).toEqual(['the-secret-value']);
    for (const { output } of [api, worker, stopped]) expect(output).not.toContain('the-secret-value');
  });

  it('give the retry the outcome of an invocation whose API process was killed, without a second request', async () => {
    const headers = { 'idempotency-key': 'killed-invocation' };
    const before = received.length;
    const { reply, request } = await invokeAndReach(headers);
    const broken = reply.catch((error: unknown) => error);
    await api.end('SIGKILL');
    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
    await startApiProcess();
    await endLease(headers['idempotency-key']);
    const retried = call('POST', '/api/v2/actions/slow/invoke', { input: {} }, headers);
    request.response.end('{}');
    expect((await retried).body).toMatchObject({ data: { status: 'succeeded', grade: 'acknowledged' } });
    expect(received.length - before).toBe(1);
    expect(await call('POST', '/api/v2/actions/slow/invoke', { input: {} }, headers)).toMatchObject(await retried);
  });

  it('do the work of a request once whose API process was killed within its handler', async () => {
    const [effect] = await database.asOwner<{ id: string }>('SELECT id FROM effects LIMIT 1');
    const path = `/api/v2/actions/effects/${effect?.id}/notes`;
    const headers = { 'idempotency-key': 'killed-note' };
    const claims = () => database.asOwner('SELECT state FROM idempotency_claims WHERE key = $1', ['killed-note']);
    const notes = () => database.asOwner(`SELECT id FROM evidence WHERE source = 'operator_note'`);
    const blocker = new Client({ connectionString: database.ownerUrl });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE evidence IN EXCLUSIVE MODE');
    const first = call('POST', path, { note: 'looked into it' }, headers).catch((error: unknown) => error);
    await expect.poll(claims).toEqual([{ state: 'in_progress' }]);
    await api.end('SIGKILL');
    expect(await first).toMatchObject({ code: 'ECONNRESET' });
    await blocker.end();
    await startApiProcess();
    await endLease('killed-note');
    const retried = await call('POST', path, { note: 'looked into it' }, headers);
    expect([retried.status, await claims(), (await notes()).length]).toEqual([201, [{ state: 'completed' }], 1]);
    expect((await call('POST', path, { note: 'looked into it' }, headers)).body).toEqual(retried.body);
    expect(await notes()).toHaveLength(1);
  });

  it('answer the requests in flight before the API, told to stop, ends with exit code 0', async () => {
    const opened = await call('POST', '/api/v2/approvals', { title: 'Deploy', summary: 'Deploy it', payload: {} });
    const poll = call('GET', `/api/v2/approvals/${(opened.body as { data: { id: string } }).data.id}?wait=60`);
    const { headers } = await memberSession({ baseUrl, database }, database.tenant.workspaceId, 'member');
    const stream = await fetch(`${baseUrl}/api/v2/console/stream`, { headers: { Cookie: headers['Cookie'] ?? '' } });
    const { reply, request } = await invokeAndReach();
    const end = api.end('SIGTERM');
    await api.printed('"stopping"');
    expect(await stream.text()).toContain('service_stops'); // as immediately: whoever reads it opens it elsewhere
    expect(await poll).toMatchObject({ status: 200, body: { data: { status: 'pending' } } }); // immediately, because it only reads
    await expect(callJson(`${baseUrl}/healthz`)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    request.response.end('{}');
    expect((await reply).body).toMatchObject({ data: { status: 'succeeded', grade: 'acknowledged' } });
    expect(await end).toBe(0);
    // The next process has no time: a call that continues without it is answered with the current state.
    await startApiProcess({ SHUTDOWN_GRACE_SECONDS: '1' });
    const late = await invokeAndReach();
    expect(await Promise.all([api.end('SIGTERM'), late.reply])).toMatchObject([
      0,
      { status: 202, body: { data: { status: 'dispatching' } } },
    ]);
    late.request.response.end('{}');
    expect(await worker.end('SIGTERM')).toBe(0);
  });

  it.each(['server.js', 'worker.js'])('%s refuses a login that row-level security does not bind', async (file) => {
    const program = new Program(['embedded/run.mjs', file], { ...environment, DATABASE_URL: database.ownerUrl });
    expect(await program.exited).toBe(1);
    expect(program.output).toContain('is a superuser');
  });

  it.each([
    ['server.js', 'the API listens'],
    ['worker.js', 'the worker polls'],
  ])('%s refuses another value of a master key that was used', async (file, started) => {
    const other = `1:${randomBytes(32).toString('base64')}`;
    const program = new Program(['embedded/run.mjs', file], { ...environment, MASTER_KEYS: other });
    onTestFinished(async () => void (await program.end('SIGKILL')));
    await expect(program.printed(started)).rejects.toThrow('it ended with 1 before');
    expect(program.output).toContain('master key version 1 has another value');
    expect(program.output).not.toContain(other.slice(2));
  });

  it.each(['server.js', 'worker.js'])('%s names what its configuration lacks', async (file) => {
    const program = new Program(['embedded/run.mjs', file], {});
    expect(await program.exited).toBe(1);
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'MASTER_KEYS']) {
      expect(program.output).toContain(`${name} is not set.`);
    }
  });

  it.each(['server.js', 'worker.js'])('%s, told to stop while it starts, ends in order', async (file) => {
    const { hostname, port } = new URL(database.applicationUrl);
    const waiting: Socket[] = [];
    const gate = createGate((socket) => void waiting.push(socket));
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void gate.close());
    const gated = new URL(database.applicationUrl);
    gated.host = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
    const program = new Program(['embedded/run.mjs', file], { ...environment, DATABASE_URL: gated.href });
    onTestFinished(async () => void (await program.end('SIGKILL')));
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    program.process.kill('SIGTERM');
    const letThrough = (socket: Socket): void => {
      const server = connect(Number(port), hostname);
      for (const one of [socket, server]) one.on('error', () => socket.destroy());
      socket.pipe(server).pipe(socket);
    };
    gate.on('connection', letThrough);
    waiting.forEach(letThrough);
    expect(await program.exited).toBe(0);
    expect(program.output).toContain('"reason":"SIGTERM"');
    expect(program.output).toContain('"stopped"');
  });

  it('let a call end although they are told to stop twice', async () => {
    await startApiProcess({ RUN_INVOCATIONS: '1' });
    const { reply, request } = await invokeAndReach();
    const end = api.end('SIGTERM');
    await api.printed('"stopping"');
    api.process.kill('SIGTERM');
    request.response.end('{}');
    expect([await end, (await reply).status]).toEqual([0, 200]);
  });

  it('end a worker in time whose spans nobody takes', async () => {
    const silent = createGate((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: '90000' };
    await Promise.all([worker.end('SIGKILL'), api.end('SIGKILL')]);
    const program = new Program(['embedded/run.mjs', 'worker.js'], { ...environment, ...traced });
    onTestFinished(async () => void (await program.end('SIGKILL')));
    await program.printed('the worker polls');
    await startApiProcess(traced);
    const { reply, request } = await invokeAndReach();
    request.response.end('{}');
    expect((await reply).status).toBe(200);
    program.process.kill('SIGTERM');
    await program.printed('"stopped"');
    const late = delay(10_000, 'it still runs', { ref: false });
    expect(await Promise.race([program.exited, late])).toBe(0);
    await api.end('SIGTERM');
  });

  it('end the API, told to stop while Temporal is away, with exit code 0', async () => {
    await startApiProcess();
    await temporal.stop();
    expect((await callJson(`${baseUrl}/readyz`)).status).toBe(503); // leaves a call behind that the SDK is about to retry
    expect(await api.end('SIGTERM')).toBe(0);
    expect(api.output).not.toContain('Error: ');
  });
});
