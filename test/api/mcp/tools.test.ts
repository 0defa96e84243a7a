import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnySchema, Ajv2020 } from 'ajv/dist/2020.js';
import { createAction } from '../../../db/actions/changes.ts';
import { revokeApiKey } from '../../../db/api-keys/api-keys.ts';
import { type JsonObject, textOf } from '../../../domain/json.ts';
import type { Scope } from '../../../domain/scopes.ts';
import { OWN_TOOL_NAMES } from '../../../domain/mcp/tool-names.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { approve, keyClient, readApproval, untilStatus } from '../approvals/support.ts';
import { effectOf, invocationIn } from '../invocations/support.ts';
import { mcpClients, type McpClient, type Mode } from './support.ts';

/** What an agent can do over MCP with the official client: list, call, park, have it decided elsewhere, read the receipt. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { connect, close } = mcpClients(() => service);
const decider = await keyClient(service, service.database.tenant);
afterAll(close);

const SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
  required: ['id'],
  additionalProperties: false,
};

async function makeAction(name: string, more: JsonObject = {}, config: JsonObject = {}): Promise<void> {
  const reply = await service.post('/api/v2/actions', {
    name,
    description: `Writes down a thing: ${name}.`,
    inputSchema: SCHEMA,
    adapter: {
      type: 'http.request',
      config: { method: 'POST', url: `${target.baseUrl}/ok`, body: { id: '{{input.id}}' }, ...config },
    },
    ...more,
  });
  expect(reply.status, reply.text).toBe(201);
}

const keyWith = async (...scopes: Scope[]): Promise<string> =>
  (await service.createKey(service.database.tenant, { scopes })).key;

const shown = async (id: unknown): Promise<JsonObject> =>
  ((await service.get(`/api/v2/actions/invocations/${String(id)}`)).json as { data: JsonObject }).data;

const sent = async (id: string): Promise<number> =>
  (await target.requests()).filter(({ body }) => body?.includes(`"${id}"`) === true).length;

describe.each<Mode>(['auto', 'legacy'])('a client of the era %s', (mode) => {
  const named = (name: string): string => `${name}.${mode}`;
  let agent: McpClient;
  beforeAll(async () => {
    await makeAction(named('note'));
    await makeAction(named('refund'), { governed: true, approval: { required: true }, mcp: { pinned: true } });
    agent = await connect(service.key, mode);
  });

  it('finds an action, reads its schema and invokes it; the structure is the record of the REST API', async () => {
    const found = await agent.tool('search_actions', { query: `THING ${named('note')}` });
    expect(found.structured).toMatchObject({
      total: 1,
      actions: [{ name: named('note'), governed: false, pinned: false }],
    });
    const described = await agent.tool('describe_action', { action: named('note') });
    expect(described.structured).toMatchObject({ name: named('note'), inputSchema: SCHEMA, mcp: { pinned: false } });
    const done = await agent.tool('invoke_action', { action: named('note'), input: { id: 'n1' } });
    expect(done.isError).toBeUndefined();
    expect(done.texts[0]).toMatch(/^SUCCEEDED \(acknowledged\): invocation inv_/);
    expect(done.structured).toEqual(await shown(done.structured['id']));
    expect(JSON.parse(done.texts[1] ?? '')).toEqual(done.structured);
  });

  it('parks, is decided over REST, waits for the end and reads the receipt', async () => {
    const parked = await agent.tool('invoke_action', { action: named('refund'), input: { id: 'r1' } });
    const { id, approvalId } = parked.structured as { id: string; approvalId: string };
    expect(parked.isError).toBeUndefined();
    expect(parked.texts[0]).toMatch(/^PENDING_APPROVAL \(pending\): /);
    expect(parked.texts[0]).toContain(
      `https://runtime.example.com/console/environments/${service.database.tenant.environmentId}/approvals/${approvalId}`,
    );
    expect(parked.texts[0]).toContain(`call get_invocation with id ${id} and waitSeconds 30`);
    const waiting = agent.tool('get_invocation', { id, waitSeconds: 30 });
    expect((await approve(decider, await readApproval(decider, approvalId))).status).toBe(200);
    expect((await waiting).structured['id']).toBe(id);
    const done = await untilStatus(service, id, ['succeeded']);
    expect((await agent.tool('get_invocation', { id })).texts[0]).toMatch(/^SUCCEEDED \(acknowledged\): /);
    const receipt = await agent.tool('get_effect', { id: done.effectId ?? '' });
    expect(receipt.texts[0]).toMatch(/^SUCCEEDED \(acknowledged\): effect eff_/);
    expect(receipt.structured).toEqual(await effectOf(service, done));
    const uri = `receipt://${done.effectId}`;
    expect((await agent.client.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
    const { contents } = await agent.client.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(receipt.structured);
    expect(await sent('r1')).toBe(mode === 'auto' ? 1 : 2); // each era once
  });

  it('is told what each tool answers: with less or with another type it is refused, and what a later service adds is not', async () => {
    const { tools } = await agent.client.listTools();
    const answers = new Ajv2020({ strict: false, validateFormats: false });
    const checks = new Map(
      tools.map(({ name, outputSchema = {} }) => [name, answers.compile(outputSchema as AnySchema)]),
    );
    for (const [name, check] of checks) expect([name, check({}), check([])]).toEqual([name, false, false]);
    expect([...checks.keys()]).toEqual(expect.arrayContaining([...OWN_TOOL_NAMES, named('refund')]));
    const { structured } = await agent.tool('invoke_action', { action: named('note'), input: { id: 'schema' } });
    const check = (more: JsonObject): unknown => checks.get('invoke_action')?.({ ...structured, ...more });
    expect(check({ grade: 'a grade of later', actor: { of: 'later' } })).toBe(true);
    expect([check({ id: 7 }), check({ settledAt: 7 })]).toEqual([false, false]);
  });

  it('calls a pinned action under its own name, and once for an operationKey', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.slice(0, OWN_TOOL_NAMES.length).map(({ name }) => name)).toEqual(OWN_TOOL_NAMES);
    const pinned = tools.find(({ name }) => name === named('refund'));
    expect(pinned).toMatchObject({
      inputSchema: SCHEMA,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    });
    expect(tools.map(({ name }) => name)).not.toContain(named('note'));
    // An action that is not pinned has no tool, and an id is no name of one.
    const id = textOf((await agent.tool('describe_action', { action: named('refund') })).structured, 'id');
    for (const unknown of [named('note'), id]) {
      await expect(agent.tool(unknown, { id: `unpinned-${mode}` })).rejects.toMatchObject({ code: -32_602 });
    }
    expect(await sent(`unpinned-${mode}`)).toBe(0);
    const key = { operationKey: `pinned-${mode}` };
    const first = await agent.tool(named('refund'), { id: 'p1' }, key);
    const again = await agent.tool(named('refund'), { id: 'p1' }, key);
    expect(first.texts[0]).toMatch(/^PENDING_APPROVAL/);
    expect(again.structured).toEqual(first.structured);
    const other = await agent.tool(named('refund'), { id: 'another' }, key);
    expect([other.isError, other.texts[0]]).toEqual([true, expect.stringMatching(/^OPERATION_KEY_REUSE: /)]);
  });

  it('previews, and invokes exactly what was shown', async () => {
    const preview = await agent.tool('preview_action', {
      action: named('refund'),
      input: { id: 'v1' },
      expiresIn: 'PT40M',
    });
    expect(preview.texts[0]).toMatch(/^PREVIEW \(nothing was sent\): prv_/);
    const [from, to] = ['createdAt', 'expiresAt'].map((member) => Date.parse(textOf(preview.structured, member)));
    expect(Math.round(((to ?? 0) - (from ?? 0)) / 60_000)).toBe(40);
    const uri = `preview://${textOf(preview.structured, 'id')}`;
    const { contents } = await agent.client.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(preview.structured);
    const given = { action: named('refund'), previewId: preview.structured['id'] ?? null };
    const differs = await agent.tool('invoke_action', { ...given, input: { id: 'v2' } });
    expect([differs.isError, differs.texts[0]]).toEqual([true, expect.stringMatching(/^PREVIEW_MISMATCH: /)]);
    const invoked = await agent.tool('invoke_action', { ...given, input: { id: 'v1' } });
    expect(invoked.structured).toMatchObject({ status: 'pending_approval' });
  });

  it('reads what to mend in the words of the tool', async () => {
    const wrong = await agent.tool('invoke_action', { action: named('note'), input: { amount: 0 }, operationkey: 'x' });
    expect(wrong.isError).toBe(true);
    expect(wrong.structured).toMatchObject({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          issues: [{ path: 'arguments.operationkey', message: 'is not a known field; did you mean operationKey?' }],
        },
      },
    });
    const input = await agent.tool('invoke_action', { action: named('note'), input: { amount: 0 } });
    expect(input.texts[0]).toMatch(/^VALIDATION_ERROR: .*arguments\.input\.amount/);
    const pinned = await agent.tool(named('refund'), { id: 7 });
    expect(pinned.texts[0]).toMatch(/^VALIDATION_ERROR: .*arguments\.id/);
    const missing = await agent.tool('describe_action', { action: `${named('note')}s` });
    expect(missing.texts[0]).toMatch(/^NOT_FOUND: No such action in environment Development .* Did you mean note\./);
    await expect(agent.tool('no_such_tool')).rejects.toMatchObject({ code: -32_602 });
    await expect(agent.client.readResource({ uri: 'receipt://eff_0000000000000000000000' })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  it('is shown only what its key may do, and is told the scope that it lacks', async () => {
    const reader = await connect(await keyWith('actions:read'), mode);
    expect((await reader.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'search_actions',
      'describe_action',
      'get_invocation',
      'get_effect',
    ]);
    for (const name of ['invoke_action', named('refund')]) {
      const refused = await reader.tool(name, { id: 'scope1' });
      expect([refused.isError, refused.structured]).toMatchObject([true, { error: { code: 'AUTHORIZATION_ERROR' } }]);
      expect(refused.texts[0]).toContain('lacks the scope actions:invoke');
    }
    const invoker = await connect(await keyWith('actions:invoke'), mode);
    const waiting = { action: named('note'), input: { id: 'scope2' }, waitSeconds: 1 };
    expect((await invoker.tool('invoke_action', waiting)).texts[0]).toContain('lacks the scope actions:read');
    expect((await invoker.client.listResources()).resources).toEqual([]);
    expect([await sent('scope1'), await sent('scope2')]).toEqual([0, 0]);
  });

  it('of another environment sees nothing of this one', async () => {
    const { key } = await service.createKey(service.database.tenants.staging);
    const stranger = await connect(key, mode);
    expect((await stranger.client.listTools()).tools.map(({ name }) => name)).toEqual(OWN_TOOL_NAMES);
    expect((await stranger.tool('search_actions')).structured).toEqual({ actions: [], total: 0 });
    const mine = await agent.tool('invoke_action', { action: named('note'), input: { id: 'tenant' } });
    for (const [tool, given] of [
      ['get_invocation', { id: mine.structured['id'] ?? null }],
      ['invoke_action', { action: named('note'), input: { id: 'tenant2' } }],
    ] as const) {
      expect((await stranger.tool(tool, given)).texts[0]).toMatch(/^NOT_FOUND: .* in environment Staging/);
    }
    await expect(stranger.tool(named('refund'), { id: 'x' })).rejects.toMatchObject({ code: -32_602 });
  });

  it('stops with its key, between two calls', async () => {
    const { key, record } = await service.createKey(service.database.tenant);
    const leaving = await connect(key, mode);
    expect((await leaving.tool('search_actions')).isError).toBeUndefined();
    const { workspaceId } = service.database.tenant;
    await service.database.db.withWorkspace(workspaceId, (tx) => revokeApiKey(tx, record.id));
    await expect(leaving.tool('search_actions')).rejects.toThrow(/401|Authentication failed|Unauthorized/i);
  });

  it('sees the progress of a wait that it asked to see', async () => {
    const seen: string[] = [];
    const decided: Promise<unknown>[] = [];
    const decide = async (approvalId: string): Promise<void> => {
      expect((await approve(decider, await readApproval(decider, approvalId))).status).toBe(200);
    };
    const result = await agent.client.callTool(
      { name: 'invoke_action', arguments: { action: named('refund'), input: { id: 'wait' }, waitSeconds: 60 } },
      {
        timeout: PATIENCE_MS,
        onprogress: ({ message = '' }) => {
          // On a busy machine it may hear first that the call is under way.
          const approvalId = /apr_\w+/.exec(message)?.[0];
          if (approvalId === undefined) return;
          if (seen.push(message) === 1) decided.push(decide(approvalId));
        },
      },
    );
    await Promise.all(decided);
    expect(seen[0]).toMatch(/^inv_\w+ waits for a decision at https:\/\/runtime\.example\.com\/console/);
    expect(decided).toHaveLength(1);
    const { id } = result.structuredContent as { id: string };
    await untilStatus(service, id, ['succeeded']);
  });

  it('that leaves ends its wait, and not the invocation', async () => {
    await makeAction(named('slow'), { governed: true }, { url: `${target.baseUrl}/hang` });
    const leaving = new AbortController();
    const given = { action: named('slow'), input: { id: `leaves-${mode}` }, operationKey: `leaves-${mode}` };
    const call = agent.client.callTool({ name: 'invoke_action', arguments: given }, { signal: leaving.signal });
    const ended = call.then(
      () => 'answered',
      () => 'left',
    );
    await expect.poll(() => sent(`leaves-${mode}`)).toBe(1);
    leaving.abort();
    expect(await ended).toBe('left');
    await target.release();
    const body = { input: given.input, operationKey: given.operationKey };
    const { id } = invocationIn(await service.post(`/api/v2/actions/${given.action}/invoke`, body));
    await untilStatus(service, id, ['succeeded']);
    expect(await sent(`leaves-${mode}`)).toBe(1);
  });

  it('publishes a message', async () => {
    const publish = { url: `${target.baseUrl}/ok`, body: { hello: mode }, deduplicationId: `mcp-${mode}` };
    const first = await agent.tool('publish_message', publish);
    expect(first.texts[0]).toMatch(/^ACCEPTED: message msg_\w+\.$/);
    const again = await agent.tool('publish_message', publish);
    expect(again.structured).toMatchObject({ messageId: first.structured['messageId'], deduplicated: true });
    const wrong = await agent.tool('publish_message', { ...publish, urlGroup: 'g' });
    expect(wrong.texts[0]).toMatch(/^VALIDATION_ERROR: .*arguments\.urlGroup/);
  });

  it('remembers, and finds what it remembered', async () => {
    const given = { content: `The ${mode} agent met Ada`, userId: `ada-${mode}`, validFrom: '2026-01-01T00:00:00Z' };
    const stored = await agent.tool('remember', given);
    expect(stored.texts[0]).toMatch(/^REMEMBERED: memory mem_\w+\.$/);
    const found = await agent.tool('search_memory', { query: 'Who met Ada?', userId: `ada-${mode}` });
    expect(found.texts[0]).toBe('1 memory.');
    expect(found.structured).toMatchObject({ memories: [{ memory: { id: stored.structured['id'] } }] });
    const before = { query: 'Who met Ada?', userId: `ada-${mode}`, validAt: '2025-01-01T00:00:00Z' };
    expect((await agent.tool('search_memory', before)).texts[0]).toBe('0 memories.');
    const wrong = await agent.tool('remember', { content: '' });
    expect(wrong.texts[0]).toMatch(/^VALIDATION_ERROR: .*arguments\.content/);
  });
});

describe('the list of tools', () => {
  it('comes in pages that hold every pinned action once', async () => {
    const tenant = service.database.tenants.production;
    const { key } = await service.createKey(tenant);
    const names = Array.from({ length: 60 }, (_, index) => `paged.tool-${String(index).padStart(2, '0')}`);
    const definition = {
      adapter: { type: 'http.request', version: '1', config: { method: 'GET', url: target.baseUrl } },
      inputSchema: { type: 'object' },
      outputSchema: null,
      governed: false,
      impact: [],
      verify: null,
      approval: { required: false, tag: null },
      timeoutMs: 1_000,
    };
    await service.database.db.withEnvironment(tenant, async (tx) => {
      for (const name of names) {
        const version = {
          definition,
          digest: `sha256:${'0'.repeat(64)}`,
          createdBy: { type: 'api_key', id: 'key_x' },
          changeNote: null,
        };
        const { environmentId } = tenant;
        await createAction(tx, { environmentId, name, description: null, mcpPinned: true, version });
      }
    });
    const { client } = await connect(key);
    const all = (await client.listTools()).tools.map(({ name }) => name);
    expect(all).toEqual([...OWN_TOOL_NAMES, ...names]);
    const second = await client.listTools({ cursor: Buffer.from('paged.tool-57').toString('base64url') });
    expect(second.tools.map(({ name }) => name)).toEqual(names.slice(58));
    await expect(client.listTools({ cursor: 'not of this list' })).rejects.toMatchObject({ code: -32_602 });
  });
});

it('an action cannot be pinned under the name of a tool of ours', async () => {
  const reserved = await service.post('/api/v2/actions', {
    name: 'invoke_action',
    mcp: { pinned: true },
    adapter: { type: 'http.request', config: { method: 'GET', url: `${target.baseUrl}/ok` } },
  });
  expect(reserved.status).toBe(400);
  expect(reserved.text).toContain('body.mcp.pinned');
  await makeAction('free.name', { mcp: { pinned: true } });
  const patch = (body: JsonObject) => service.call('PATCH', '/api/v2/actions/free.name', { key: service.key, body });
  expect(await patch({ name: 'remember' })).toMatchObject({ status: 400 });
  const unpinned = await patch({ mcp: { pinned: false } });
  expect(unpinned.json).toMatchObject({ data: { mcp: { pinned: false }, currentVersion: { number: 1 } } });
});

it('no credential is in a log, and every reply has the schema of its route', () => {
  expect(service.replyViolations).toEqual([]);
  expect([...service.logLines, ...service.workerLogLines].join('\n')).not.toContain(service.key);
});
