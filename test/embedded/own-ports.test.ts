import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credentials } from '../../embedded/credentials.ts';
import { callJson } from '../../embedded/http-json.ts';
import { listeningPorts } from '../../embedded/listening-ports.ts';
import { freePorts, readCredentials, startStackProcess, type Program } from '../harness/embedded-stack.ts';

/** Every descendant of a process, from Linux's process table. */
function descendantsOf(pid: number): { pid: number; command: string }[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // pid (command) state ppid …; a command may hold spaces and parentheses.
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(name), parent, command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
      } catch {
        return []; // it ended meanwhile
      }
    });
  const below = (parent: number): { pid: number; command: string }[] =>
    processes.flatMap((each) => (each.parent === parent ? [each, ...below(each.pid)] : []));
  return below(pid);
}

/**
 * The embedded stack lets actions call the loopback, where all its own parts listen. In an earlier attack, a call through the API
 * behind Temporal's UI cancelled another tenant's approval.
 */
describe.skipIf(process.platform !== 'linux')('no port of the running stack is a destination', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'own-ports-'));
  const dataDir = path.join(parent, 'data');
  let program: Program;
  let credentials: Credentials;
  let ports: number[];

  beforeAll(async () => {
    chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
    program = await startStackProcess(dataDir, { ...(await freePorts()), METRICS_ADDRESS: '127.0.0.1:0' });
    credentials = readCredentials(dataDir);
    const parts = descendantsOf(program.process.pid ?? 0).filter(
      ({ command }) => !command.includes('demo-target.jsonl'),
    );
    ports = [program.process.pid ?? 0, ...parts.map(({ pid }) => pid)].flatMap(listeningPorts);
  });
  afterAll(async () => {
    await program.end('SIGTERM');
    rmSync(parent, { recursive: true, force: true });
  });

  const call = async (environment: string, method: string, url: string, body?: unknown) => {
    const key = credentials.keys.find((each) => each.environment === environment && each.name === 'all_scopes')?.key;
    const headers = { authorization: `Bearer ${key}` };
    const reply = await callJson(`${credentials.baseUrl}${url}`, { method, headers, body });
    return reply as { status: number; body: { data: Record<string, unknown>; error?: unknown } };
  };

  const invoke = async (name: string, config: Record<string, unknown>) => {
    const definition = { name, adapter: { type: 'http.request', config }, inputSchema: { type: 'object' } };
    const created = await call('development', 'POST', '/api/v2/actions', definition);
    if (created.status !== 201) throw new Error(JSON.stringify(created.body));
    return call('development', 'POST', `/api/v2/actions/${name}/invoke`, { input: {} });
  };

  it('knows all of them: PostgreSQL, the API, its metrics, and what Temporal opens by itself', () => {
    const named = [credentials.baseUrl, credentials.temporalUiUrl, `http://${credentials.temporalAddress}`];
    const expected = [...named, credentials.databaseUrl].map((url) => Number(new URL(url ?? '').port));
    expect(ports).toEqual(expect.arrayContaining(expected));
    // At least: the UI, gRPC, the HTTP API, metrics, PostgreSQL and our own.
    expect(new Set(ports).size).toBeGreaterThanOrEqual(7);
  });

  it('refuses them to an action', async () => {
    for (const port of new Set(ports)) {
      const { body } = await invoke(`own.port_${port}`, { method: 'GET', url: `http://127.0.0.1:${port}/` });
      expect([port, JSON.stringify(body)]).toEqual([port, expect.stringContaining('destination_blocked')]);
    }
  });

  it('refuses them to an import, and to a message', async () => {
    const messages: [port: number, id: unknown][] = [];
    for (const port of new Set(ports)) {
      const url = `http://127.0.0.1:${port}/`;
      const { status, body } = await call('development', 'POST', '/api/v2/actions/import', { url });
      expect([port, status, JSON.stringify(body)]).toEqual([port, 400, expect.stringContaining('own addresses')]);
      const published = await call('development', 'POST', '/api/v2/messages/publish', { url, body: {}, maxRetries: 0 });
      if (published.status >= 300) throw new Error(JSON.stringify(published.body));
      messages.push([port, published.body.data['messageId']]);
    }
    for (const [port, id] of messages) {
      await expect
        .poll(async () => {
          const { body } = await call('development', 'GET', `/api/v2/messages/${String(id)}`);
          return JSON.stringify([port, body.data]);
        })
        .toContain('own addresses');
    }
  });

  it('an approval is not cancelled through Temporal by an action of another environment', async () => {
    const asked = { title: 'Pay', summary: 'Pays the invoice.', payload: { amount: 7 } };
    const { data } = (await call('production', 'POST', '/api/v2/approvals', asked)).body;
    const url = `${credentials.temporalUiUrl}/api/v1/namespaces/default/workflows/${encodeURIComponent(`approval/${String(data['id'])}`)}/cancel`;
    // The UI only compares its token with a cookie, so a caller that invents both is accepted.
    const headers = { 'content-type': 'application/json', cookie: '_csrf=t', 'x-csrf-token': 't' };
    const status = async () =>
      (await call('production', 'GET', `/api/v2/approvals/${String(data['id'])}`)).body.data['status'];
    const attack = await invoke('attack', {
      method: 'POST',
      url,
      headers,
      body: {},
    });
    expect(JSON.stringify(attack.body)).toContain('destination_blocked');
    expect(await status()).toBe('pending');
    // Proves that the refusal protected it: a caller that reaches the UI in another way does cancel it.
    const reply = await fetch(url, { method: 'POST', headers, body: '{}' });
    expect([reply.status, await reply.text()]).toMatchObject([200, expect.any(String)]);
    await expect.poll(status).toBe('cancelled');
  });
});
