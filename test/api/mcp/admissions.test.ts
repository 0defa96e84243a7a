import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { removeMember } from '../../../db/members/members.ts';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { plantNewEffect } from '../../db/effects/planted-rows.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createPerson } from '../harness/people.ts';
import { createAction } from '../invocations/support.ts';
import { connect as connectApp, findServer, mcpClient } from '../oauth/support.ts';
import { mcpClients, post, resultOf, type ToolReply } from './support.ts';

/** What keeps a caller of the REST API back keeps a caller of `/mcp` back, with the same words. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { connect, close } = mcpClients(() => service);
const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { governed: true });
afterAll(close);

const codeOf = ({ isError, structured }: ToolReply): [boolean | undefined, unknown] => [
  isError,
  (structured['error'] as JsonObject | undefined)?.['code'],
];
const invocation = (): JsonObject => ({ action, input: {} });
const sent = async (): Promise<number> => (await target.requests('/ok')).length;

it('a budget that is spent refuses the call, and nothing is sent', async () => {
  const { key, record } = await service.createKey(service.database.tenant);
  const body = { caps: { invocations: 0, memoryOperations: 0 } };
  const put = await service.call('PUT', `/api/v2/budgets/${record.id}`, { key: service.key, body });
  expect(put.status, put.text).toBe(201);
  const agent = await connect(key);
  const before = await sent();
  expect(codeOf(await agent.tool('invoke_action', invocation()))).toEqual([true, 'BUDGET_EXCEEDED']);
  expect(codeOf(await agent.tool('remember', { content: 'x' }))).toEqual([true, 'BUDGET_EXCEEDED']);
  expect(await sent()).toBe(before);
});

it('expensive work that is paused is refused while it is paused; reading goes on', async () => {
  const agent = await connect(service.key);
  await setExpensiveWorkPause(service.database.db, 'Maintenance.');
  try {
    // The process learns of it by a notification.
    await expect
      .poll(async () => codeOf(await agent.tool('remember', { content: 'x' })))
      .toEqual([true, 'EXPENSIVE_WORK_PAUSED']);
    const before = await sent();
    expect(codeOf(await agent.tool('invoke_action', invocation()))).toEqual([true, 'EXPENSIVE_WORK_PAUSED']);
    expect(await sent()).toBe(before);
    expect((await agent.tool('search_actions')).isError).toBeUndefined();
  } finally {
    await setExpensiveWorkPause(service.database.db, null);
  }
});

it('a workspace that has used up its rate limit gets the 429 of the REST API', async () => {
  const { development: tenant } = await service.database.anotherWorkspace();
  await service.database.db.withWorkspace(tenant.workspaceId, (tx) => setPlan(tx, 'free'));
  const { key } = await service.createKey(tenant);
  expect((await post(service, key, { method: 'tools/list' })).status).toBe(200);
  await service.database.asOwner('UPDATE rate_windows SET minute_used = $2 WHERE workspace_id = $1', [
    tenant.workspaceId,
    (PLAN_TABLE.free.rateLimit?.perMinute ?? 0) - 1,
  ]);
  const replies = [];
  for (let n = 0; n < 3; n++) replies.push(await post(service, key, { method: 'tools/list' }));
  expect(replies.map(({ status }) => status)).toContain(429);
  expect(replies.at(-1)?.json).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
});

it('an environment that is halted refuses an invocation, and nothing is sent, until it is resumed', async () => {
  const tenant = service.database.tenants.staging;
  const { key } = await service.createKey(tenant);
  const made = await service.call('POST', '/api/v2/actions', {
    key,
    body: {
      name: 'halted-ping',
      adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/ok` } },
    },
  });
  expect(made.status, made.text).toBe(201);
  const at = (what: string): string =>
    `/api/v2/workspaces/${tenant.workspaceId}/environments/${tenant.environmentId}/${what}`;
  const agent = await connect(key);
  const before = await sent();
  const halted = await service.call('POST', at('halt'), { key, body: { reason: 'the provider is down' } });
  expect(halted.status, halted.text).toBe(200);
  const refused = await agent.tool('invoke_action', { action: 'halted-ping', input: {} });
  expect(refused.structured).toMatchObject({ status: 'refused', refusal: { code: 'environment_halted' } });
  expect(await sent()).toBe(before);
  expect((await service.call('POST', at('resume'), { key })).status).toBe(200);
  const done = await agent.tool('invoke_action', { action: 'halted-ping', input: {} });
  expect(done.structured).toMatchObject({ status: 'succeeded' });
});

it('the app of a member who is removed is let in no more', async () => {
  service.deps.pagesUrl = service.baseUrl;
  const person = await createPerson(service, 'member');
  const mcp = await findServer(`${service.baseUrl}/mcp`);
  const { workspaceId, environmentId } = service.database.tenant;
  const tokens = await connectApp(service, mcp, person, { environmentId });
  const client = await mcpClient(service, tokens.access);
  const search = () => client.callTool({ name: 'search_actions', arguments: {} });
  expect((await search()).isError).toBeUndefined();
  await service.database.db.withWorkspace(workspaceId, (tx) => removeMember(tx, person.userId));
  await expect(search()).rejects.toThrow(/401|Authentication failed|Unauthorized/i);
  expect((await post(service, tokens.access, { method: 'tools/list' })).status).toBe(401);
});

it('receipts are listed page by page, each once, and a cursor of something else is refused', async () => {
  const { development: tenant } = await service.database.anotherWorkspace();
  const { key } = await service.createKey(tenant);
  const owner = new Client({ connectionString: service.database.ownerUrl });
  await owner.connect();
  const planted: string[] = [];
  for (let n = 0; n < 53; n++) planted.push((await plantNewEffect(owner, tenant)).effectId);
  await owner.end();
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const page = resultOf(await post(service, key, { method: 'resources/list', params }));
    pages.push((page['resources'] as { uri: string }[]).map(({ uri }) => uri));
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  expect(pages.map(({ length }) => length)).toEqual([50, 3]);
  expect(pages.flat().toSorted()).toEqual(planted.map((id) => `receipt://${id}`).toSorted());
  const wrong = await post(service, key, { method: 'resources/list', params: { cursor: 'bm90LWEtcGFnZQ' } });
  expect(wrong.json).toMatchObject({ error: { code: -32_602 } });
});
