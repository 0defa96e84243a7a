import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { invoke } from '../api/invocations/support.ts';
import { startTestService } from '../harness/service.ts';
import { startTarget } from '../harness/target.ts';
import { installConformance } from './mcp-conformance/install.ts';

/**
 * `npm run test:mcp`: the protocol's own conformance suite, in the scenarios that ask nothing but what every server has. The others call tools,
 * prompts and resources that a server makes for the suite (`test_simple_text` and so on).
 */

const SCENARIOS: readonly [version: string, scenarios: readonly string[]][] = [
  [
    '2026-07-28',
    [
      'tools-list',
      'resources-list',
      'sep-2164-resource-not-found',
      'dns-rebinding-protection',
      'http-header-validation',
      'server-sse-multiple-streams',
    ],
  ],
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']],
];

/** Scenarios in which single checks ask for tools or prompts that a server makes for the suite: every other check must hold. */
const IN_PART: readonly [scenario: string, notTestable: readonly string[]][] = [
  [
    'server-stateless',
    [
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-missing-capability-http-400',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-rejects-undeclared-capability',
    ],
  ],
  ['caching', ['sep-2549-prompts-list-caching-hints']],
];

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));

const conformance = installConformance();
const proxy = withKey(service.key, new URL(service.baseUrl));
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
const made = await service.post('/api/v2/actions', {
  name: 'conformance.note',
  governed: true,
  mcp: { pinned: true },
  adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/ok` } },
});
if (made.status !== 201) throw new Error(made.text);
await invoke(service, 'conformance.note'); // a receipt, which is a resource
afterAll(() => {
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The suite sends no credential: it goes through a proxy that adds one, and changes nothing else. */
function withKey(key: string, to: URL): Server {
  return createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const { method = 'GET', url: path = '/' } = incoming;
    const forwarded = httpRequest({ hostname: to.hostname, port: to.port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
}

async function run(scenario: string, version: string): Promise<{ code: unknown; output: string }> {
  const child = spawn(
    conformance.node,
    [conformance.program, 'server', '--url', url, '--scenario', scenario, '--spec-version', version],
    { cwd: folder },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, output };
}

describe.each(SCENARIOS)('the conformance suite for the revision %s', (version, scenarios) => {
  it.each(scenarios)('%s', async (scenario) => {
    const { code, output } = await run(scenario, version);
    expect(code, output).toBe(0);
    // It ends with 0 for a scenario that it leaves out, too.
    expect(output).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
  });
});

describe('the conformance suite for the revision 2026-07-28, in part', () => {
  it.each(IN_PART)('%s', async (scenario, notTestable) => {
    const { output } = await run(scenario, '2026-07-28');
    const checks = [...stripVTControlCharacters(output).matchAll(/ \[([\w-]+) *\] (SUCCESS|FAILURE|WARNING) /g)];
    const others = checks.filter(([, , verdict]) => verdict !== 'SUCCESS').map(([, check]) => check);
    expect(new Set(others), output).toEqual(new Set(notTestable));
    expect(checks.length - others.length, output).toBeGreaterThan(5);
  });
});
