import { describe, expect, it } from 'vitest';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { approvalPath } from '../../../domain/console-links.ts';
import { approvalIn, approve, readApproval, untilStatus } from '../approvals/support.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import type { CallResult } from '../harness/test-api.ts';
import { type Caller, createAction, invocationIn } from '../invocations/support.ts';
import { Visitor } from '../pages/support.ts';
import { clientIdOf, connect, findServer, mcpClient, type Tokens } from './support.ts';

/** What an app does is done in the name of its user, and ends with the connection. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);

const environmentId = (): string => service.database.tenant.environmentId;
service.deps.pagesUrl = service.baseUrl;
const rest = await findServer(`${service.baseUrl}/api/v2/auth/identity`);
const action = await createAction(
  service,
  { method: 'POST', url: `${target.baseUrl}/ok` },
  { governed: true, approval: { required: true } },
);

const invokeWith = (tokens: Tokens): Promise<CallResult> =>
  service.call('POST', `/api/v2/actions/${action}/invoke`, { key: tokens.access, body: { input: {} } });
const asUser = (person: TestPerson): Caller => ({
  get: (path) => person.call('GET', path, { headers: { 'X-Environment-Id': environmentId() } }),
  post: (path, body) => person.call('POST', path, { body, headers: { 'X-Environment-Id': environmentId() } }),
});
const asApp = ({ access }: Tokens): Caller => ({
  get: (path) => service.call('GET', path, { key: access }),
  post: (path, body) => service.call('POST', path, { key: access, body }),
});

async function disconnectAll(person: TestPerson): Promise<void> {
  const listed = (await person.call('GET', '/api/v2/auth/connected-apps')).json as { data: { id: string }[] };
  expect(listed.data).not.toEqual([]);
  for (const { id } of listed.data) {
    expect((await person.call('DELETE', `/api/v2/auth/connected-apps/${id}`)).status).toBe(200);
  }
}

describe('an invocation of an app', () => {
  it('is of its user: they do not approve it, by session or by app, and somebody else does', async () => {
    const [person, other] = [await createPerson(service, 'owner'), await createPerson(service, 'owner')];
    const tokens = await connect(service, rest, person, { environmentId: environmentId(), groups: ['approvals'] });
    const parked = invocationIn(await invokeWith(tokens));
    expect(parked.requestedBy).toEqual({ type: 'user', id: person.userId, clientId: clientIdOf(rest) });
    const approval = await readApproval(asUser(other), parked.approvalId);
    expect(approval.requestedBy).toEqual({ type: 'user', id: person.userId, clientId: clientIdOf(rest) });
    expect((await approve(asUser(person), approval)).status).toBe(403);
    expect((await approve(asApp(tokens), approval)).status).toBe(403);
    const others = await connect(service, rest, other, { environmentId: environmentId(), groups: ['approvals'] });
    const decided = await approve(asApp(others), approval);
    expect(decided.status).toBe(200);
    expect((await readApproval(asUser(other), parked.approvalId)).decisions[0]).toMatchObject({
      actor: { type: 'user', id: other.userId },
      authentication: { method: 'oauth', app: { clientId: clientIdOf(rest) } },
    });
    expect((await untilStatus(service, parked.id, ['succeeded'])).status).toBe('succeeded');
    const entries = await service.database.asOwner<{ actor_id: string; details: JsonObject }>(
      "SELECT actor_id, details FROM audit_log WHERE action = 'approval.approved'",
    );
    expect(entries).toEqual([
      { actor_id: other.userId, details: expect.objectContaining({ clientId: clientIdOf(rest) }) },
    ]);
  });

  it('that waits is refused once the app was disconnected, whoever approves it', async () => {
    const [person, other] = [await createPerson(service, 'owner'), await createPerson(service, 'owner')];
    const tokens = await connect(service, rest, person, { environmentId: environmentId() });
    const parked = invocationIn(await invokeWith(tokens));
    const approval = await readApproval(asUser(other), parked.approvalId);
    await disconnectAll(person);
    const before = (await target.requests()).length;
    await approve(asUser(other), approval);
    const ended = await untilStatus(service, parked.id, ['refused']);
    expect(ended.refusal?.code).toBe('requester_revoked');
    expect((await target.requests()).length).toBe(before);
  });
});

it('an agreement of an app ends with its connection, and the page then lets its user decide', async () => {
  const person = await createPerson(service, 'owner');
  const tokens = await connect(service, rest, person, { environmentId: environmentId(), groups: ['approvals'] });
  const body = { title: 'Ship it', summary: 'Ships it.', payload: {}, quorum: 2 };
  const approval = approvalIn(await service.call('POST', '/api/v2/approvals', { key: service.key, body }));
  expect((await approve(asApp(tokens), approval)).status).toBe(200);
  const browser = new Visitor(service, { 'service-session': person.token });
  const path = approvalPath(environmentId(), approval.id);
  expect((await browser.get(path)).text).toContain('You have approved this.');
  await disconnectAll(person);
  expect((await browser.get(path)).text).not.toContain('You have approved this.');
  expect((await browser.submit(path, { decision: 'approve', note: '' })).status).toBe(303);
  expect((await browser.get(path)).text).toContain('You have approved this.');
  const { quorum, decisions } = await readApproval(asUser(person), approval.id);
  expect([quorum.received, decisions.map(({ stands }) => stands)]).toEqual([1, [false, true]]);
});

it('over MCP an app invokes in the name of its user', async () => {
  const person = await createPerson(service, 'member');
  const mcp = await findServer(`${service.baseUrl}/mcp`);
  const tokens = await connect(service, mcp, person, { environmentId: environmentId() });
  const client = await mcpClient(service, tokens.access);
  const result = await client.callTool({ name: 'invoke_action', arguments: { action, input: {} } });
  expect(result.structuredContent).toMatchObject({
    status: 'pending_approval',
    requestedBy: { type: 'user', id: person.userId, clientId: clientIdOf(mcp) },
  });
  await client.close();
});

it.each([
  ['/api/v2/context', 'context:read', 'memory:read', { query: 'tea', memory: {} }],
  ['/api/v2/memory/ingest', 'memory:write', 'sessions:read', { collectionId: 'col_1', sessionId: 'ses_1' }],
] as const)('POST %s by an app with %s alone: 403, %s is needed too', async (path, held, needed, body) => {
  const person = await createPerson(service, 'owner');
  const tokens = await connect(service, rest, person, { environmentId: environmentId() }, { scope: held });
  expect(tokens.scopes).toEqual([held]);
  const reply = await asApp(tokens).post(path, body);
  expect(reply.status, reply.text).toBe(403);
  expect(reply.text).toContain(`was not allowed the scope ${needed}`);
});
