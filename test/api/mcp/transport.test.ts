import { describe, expect, it } from 'vitest';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client';
import { errorOf } from '../invocations/support.ts';
import { approve, keyClient, readApproval, untilStatus } from '../approvals/support.ts';
import { textOf } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { post, postAs, postRaw, resultOf } from './support.ts';

/** What a request to the MCP endpoint must have, and what a client of the newest revision gets beyond the client package. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ACCEPT = { Accept: 'application/json, text/event-stream' };

describe('a request without what it needs has the error body of the REST API', () => {
  it('401 without a valid key, in any place', async () => {
    for (const key of [undefined, 'service_live_00000000000000000000000000000000']) {
      const reply = await service.call('POST', '/mcp', { ...(key === undefined ? {} : { key }), body: PING });
      expect([reply.status, reply.headers.get('www-authenticate'), errorOf(reply).code]).toEqual([
        401,
        `Bearer ${key === undefined ? '' : 'error="invalid_token", '}resource_metadata="https://runtime.example.com/.well-known/oauth-protected-resource/mcp"`,
        'AUTHENTICATION_ERROR',
      ]);
    }
    const cookie = await service.call('POST', '/mcp', { headers: { Cookie: `session=${service.key}` }, body: PING });
    expect(cookie.status).toBe(401);
  });

  it.each([
    '*/*',
    null,
    'application/json',
    'application/*',
    'application/json, application/mcp+json',
    'text/html, */*;q=0.1',
  ])('takes a client that accepts %s, and answers it in JSON', async (accept) => {
    const initialize = {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const search = {
      method: 'tools/call',
      params: { name: 'search_actions', arguments: {}, _meta: { progressToken: 1 } },
    };
    for (const path of ['/mcp', '/mcp/']) {
      for (const message of [initialize, search]) {
        const reply = await postRaw(`${service.baseUrl}${path}`, service.key, accept, {
          jsonrpc: '2.0',
          id: 7,
          ...message,
        });
        expect([reply.status, reply.type]).toEqual([200, 'application/json']);
        expect(JSON.parse(reply.text)).toMatchObject({ jsonrpc: '2.0', id: 7, result: {} });
      }
    }
  });

  it('streams to a client that names the event stream, and refuses one that takes neither', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const accept of ['application/json, text/event-stream', 'text/event-stream, */*']) {
      const reply = await postRaw(`${service.baseUrl}/mcp`, service.key, accept, message);
      expect([reply.status, reply.type]).toEqual([200, 'text/event-stream']);
    }
    expect((await postRaw(`${service.baseUrl}/mcp`, service.key, 'text/html', message)).status).toBe(406);
    expect((await postRaw(`${service.baseUrl}/mcp`, service.key, 'application/json;q=0', message)).status).toBe(406);
  });

  it('answers a notification of a client that accepts JSON alone with 202', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await postRaw(`${service.baseUrl}/mcp`, service.key, 'application/json', message)).status).toBe(202);
  });

  it('405 for what is not POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const reply = await service.call(method, '/mcp', { key: service.key });
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  it('413 for a body over 1 MiB', async () => {
    const raw = JSON.stringify({ ...PING, params: { filler: 'x'.repeat(1_048_576) } });
    const reply = await service.call('POST', '/mcp', { key: service.key, headers: ACCEPT, raw });
    expect([reply.status, errorOf(reply).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it.each([
    ['a page of another site', { Origin: 'https://evil.example' }, 403],
    ['an opaque origin', { Origin: 'null' }, 403],
    ['a name that was pointed at us', { Host: 'evil.example', Origin: 'http://evil.example' }, 403],
    ['such a name without an Origin', { Host: 'evil.example' }, 403],
    ['a page of the loopback, to a name of the network', { Host: 'api:3000', Origin: 'http://localhost:3000' }, 403],
    ['our own page', { Host: 'runtime.example.com', Origin: 'https://runtime.example.com' }, 200],
    ['a page of the loopback', { Host: 'localhost:3000', Origin: 'http://localhost:6274' }, 200],
    ['a program, by a name of the network', { Host: 'api:3000' }, 200],
    ['a program, by an address', { Host: '[::1]:3000' }, 200],
  ])('the sites that may: %s', async (_who, headers, status) => {
    expect(await postAs(service, service.key, headers)).toBe(status);
  });
});

describe('a message that is wrong is a JSON-RPC error', () => {
  it.each([
    ['no JSON', '{', 400, -32_700],
    ['a batch', JSON.stringify([PING, PING]), 400, -32_600],
    ['a subscription', JSON.stringify({ ...PING, method: 'subscriptions/listen' }), 404, -32_601],
  ])('%s', async (_what, raw, status, code) => {
    const reply = await service.call('POST', '/mcp', { key: service.key, headers: ACCEPT, raw });
    expect([reply.status, reply.json]).toMatchObject([status, { jsonrpc: '2.0', error: { code } }]);
    expect(reply.text).not.toMatch(/\bat .*\.(ts|js|mjs):/);
  });

  it('of another media type', async () => {
    const headers = { ...ACCEPT, 'Content-Type': 'text/plain' };
    expect((await service.call('POST', '/mcp', { key: service.key, headers, raw: JSON.stringify(PING) })).status).toBe(
      415,
    );
  });

  it('of a revision that nobody serves', async () => {
    const headers = { ...ACCEPT, 'MCP-Protocol-Version': '1999-01-01' };
    const reply = await service.call('POST', '/mcp', { key: service.key, headers, body: PING });
    expect([reply.status, reply.json]).toMatchObject([400, { error: { code: expect.any(Number) } }]);
  });
});

it('an older client makes its handshake', async () => {
  const params = {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'old', version: '1.0.0' },
  };
  const body = { ...PING, method: 'initialize', params };
  const reply = await service.call('POST', '/mcp', { key: service.key, headers: ACCEPT, body });
  expect(reply.status).toBe(200);
  expect(reply.text).toContain('"agent-action-runtime"');
  expect(reply.headers.get('mcp-session-id')).toBeNull();
});

const decider = await keyClient(service, service.database.tenant);
const made = await service.post('/api/v2/actions', {
  name: 'task.refund',
  governed: true,
  approval: { required: true },
  adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/ok` } },
});
if (made.status !== 201) throw new Error(made.text);

describe('a client that knows tasks', () => {
  const TASKS = { 'io.modelcontextprotocol/tasks': {} };
  const park = (key = service.key, extensions = TASKS) =>
    post(
      service,
      key,
      { method: 'tools/call', params: { name: 'invoke_action', arguments: { action: 'task.refund', input: {} } } },
      extensions,
    );
  const get = (taskId: string) => post(service, service.key, { method: 'tasks/get', params: { taskId } }, TASKS);

  it('is told that we do', async () => {
    expect(resultOf(await post(service, service.key, { method: 'server/discover' }))).toMatchObject({
      capabilities: { tools: {}, resources: {}, extensions: TASKS },
    });
  });

  it('gets a parked invocation as a task, and its receipt from the task', async () => {
    const task = resultOf(await park());
    expect(task).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: null,
      taskId: expect.stringMatching(/^inv_/),
    });
    const taskId = textOf(task, 'taskId');
    expect(resultOf(await get(taskId))).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
    for (const method of ['tasks/cancel', 'tasks/update']) {
      expect(resultOf(await post(service, service.key, { method, params: { taskId } }, TASKS))).toMatchObject({
        resultType: 'complete',
      });
    }
    const approvalId = /apr_\w+/.exec(textOf(task, 'statusMessage'))?.[0] ?? '';
    expect((await approve(decider, await readApproval(decider, approvalId))).status).toBe(200);
    await untilStatus(service, taskId, ['succeeded']);
    expect(resultOf(await get(taskId))).toMatchObject({
      status: 'completed',
      result: { structuredContent: { id: taskId, status: 'succeeded' } },
    });
  });

  it('finds no task that is not there, or of another environment', async () => {
    const { key } = await service.createKey(service.database.tenants.staging);
    const taskId = textOf(resultOf(await park()), 'taskId');
    for (const reply of [
      await get('inv_0000000000000000000000'),
      await post(service, key, { method: 'tasks/get', params: { taskId } }, TASKS),
    ]) {
      expect(reply.json).toMatchObject({ error: { code: -32_602, data: { error: { code: 'NOT_FOUND' } } } });
    }
  });

  it('gets the record where its key could not follow the task, and so does a client that knows none', async () => {
    const { key } = await service.createKey(service.database.tenant, { scopes: ['actions:invoke'] });
    for (const reply of [await park(key), await park(service.key, {} as typeof TASKS)]) {
      expect(resultOf(reply)).toMatchObject({
        resultType: 'complete',
        structuredContent: { status: 'pending_approval' },
      });
    }
  });
});

it('every reply had the schema of its route', () => expect(service.replyViolations).toEqual([]));
