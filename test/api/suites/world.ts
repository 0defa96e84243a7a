import { randomUUID } from 'node:crypto';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import type { Tenant } from '../../../db/client.ts';
import type { AdapterCapabilities } from '../../../domain/actions.ts';
import { newId } from '../../../domain/ids.ts';
import type { Role } from '../../../domain/roles.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { type CallOptions, type CallResult, startTestApi, type TestApi } from '../harness/test-api.ts';
import { policyDocument } from '../approval-policies/support.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { fixtureOf, type FixtureRequest } from './fixtures.ts';

/** One API with rows of the development environment for the suites to reach for. */
export interface World {
  /** The API that the suites ask. */
  api: TestApi;
  /** Of the development environment, with every scope. */
  key: string;
  /** Keys with every scope that must see none of it: another environment's, another workspace's. */
  strangers: { who: string; key: string }[];
  /** A request that the route answers with success, for rows that exist. */
  requestFor(route: AnyRoute): Promise<FixtureRequest>;
  /** Sends it with the route's own method, and without a credential unless `options` has one. */
  send(route: AnyRoute, request: FixtureRequest, options?: CallOptions): Promise<CallResult>;
  /** As `send`, with a credential that may do anything. */
  sendAllowed(route: AnyRoute, request: FixtureRequest, options?: CallOptions): Promise<CallResult>;
  /** The headers of a credential that may do anything on this route: a key, or an owner's session where it takes no key. */
  credentialHeaders(route: AnyRoute): Promise<Record<string, string>>;
  /** A new user, signed in, with this role in the workspace of the rows or in the other one. */
  person(role: Role, workspace?: 'own' | 'other'): Promise<TestPerson>;
  /** The headers of such a session of a new user with this role in the workspace of the rows, or in the other one; for a mutation by our own page. */
  sessionHeaders(role: Role, workspace?: 'own' | 'other'): Promise<Record<string, string>>;
  /** The development environment of another workspace, whose plan has a rate limit, and a key of it with every scope. */
  otherTenant: Tenant;
  otherKey: string;
  /** A key of the development environment with every scope but this one. */
  keyWithout(scope: string): Promise<string>;
  plantSecret(): Promise<string>;
  /** The name and id of a new action. */
  plantAction(): Promise<{ id: string; name: string }>;
  plantGovernedAction(): Promise<{ id: string; name: string }>;
  /** One more version of an action. */
  plantVersion(actionId: string): Promise<void>;
  plantInvocation(actionId?: string): Promise<string>;
  plantEffect(): Promise<string>;
  /** An invocation whose outcome nobody saw, with its effect unless it is plain; its adapter would replay it. */
  plantUnknown(options?: { plain?: boolean }): Promise<{ invocationId: string; effectId: string }>;
  /** Of a governed action, not used. */
  plantPreview(): Promise<string>;
  /** A pending one that is free-standing, and that somebody else asked for. */
  plantApproval(): Promise<{ id: string; bindingDigest: string }>;
  plantImpactLimit(): Promise<string>;
  /** A message that is due in an hour. */
  plantMessage(): Promise<string>;
  /** The key that a new budget is of. */
  plantBudget(): Promise<string>;
  /** The id of a new approval policy. */
  plantPolicy(): Promise<string>;
  /** One more version of an approval policy. */
  plantPolicyVersion(policyId: string): Promise<void>;
  /** A plan of one new policy, not applied. */
  plantPolicyPlan(): Promise<{ planId: string; digest: string }>;
  /** The token of an invitation into the workspace of the rows. */
  plantInvitation(): Promise<string>;
}

export interface WorldOptions {
  /** The API that is asked, and closed by whoever started it; else one with every route. */
  api?: TestApi;
  /** Where planted actions send to. */
  targetUrl?: string;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const api = options.api ?? (await startTestApi());
  const { key } = await api.createKey(api.database.tenants.development);
  const { development: otherTenant } = await api.database.anotherWorkspace();
  await api.database.asOwner(`UPDATE workspaces SET plan = 'production' WHERE id = $1`, [otherTenant.workspaceId]);
  const { key: otherKey } = await api.createKey(otherTenant);
  const strangers = [
    { who: 'another environment', key: (await api.createKey(api.database.tenants.staging)).key },
    { who: 'another workspace', key: otherKey },
  ];
  const keysWithout = new Map<string, Promise<string>>();
  return asking(api, {
    key,
    strangers,
    otherTenant,
    otherKey,
    keyWithout: (scope) => {
      const scopes = SCOPES.filter((candidate) => candidate !== scope);
      const known = keysWithout.get(scope);
      const made = known ?? api.createKey(api.database.tenants.development, { scopes }).then((created) => created.key);
      keysWithout.set(scope, made);
      return made;
    },
    ...plants(api, key, options.targetUrl ?? 'https://example.com/hook'),
  });
}

/** The same rows and keys, asked of another API on the same database. */
export function worldAt(world: World, api: TestApi): World {
  return asking(api, world);
}

type Asking = 'api' | 'requestFor' | 'send' | 'sendAllowed' | 'credentialHeaders' | 'person' | 'sessionHeaders';

function asking(api: TestApi, parts: Omit<World, Asking>): World {
  let owner: Promise<Record<string, string>> | undefined;
  const world: World = {
    ...parts,
    api,
    requestFor: (route) => fixtureOf(route).request(world),
    send: (route, request, { headers, ...options } = {}) =>
      api.call(route.method, pathOf(route, request), {
        ...(request.body === undefined ? {} : { body: request.body }),
        ...options,
        headers: { ...headers },
      }),
    sendAllowed: async (route, request, options = {}) => {
      const headers = { ...(await world.credentialHeaders(route)), ...request.headers, ...options.headers };
      return world.send(route, request, { ...options, headers });
    },
    credentialHeaders: (route) => {
      if (route.kind === 'public') return Promise.resolve({});
      if (route.kind === 'environment' || route.kind === 'credential') {
        return Promise.resolve({ Authorization: `Bearer ${parts.key}` });
      }
      // What a user does can end their session; an owner that stays adds no member while members are counted.
      if (route.kind === 'user') return world.sessionHeaders('owner');
      owner ??= world.sessionHeaders('owner');
      return owner;
    },
    person: (role, workspace = 'own') =>
      createPerson(api, role, workspace === 'own' ? {} : { workspaceId: parts.otherTenant.workspaceId }),
    sessionHeaders: async (role, workspace) => ({
      ...(await world.person(role, workspace)).headers,
      'X-Environment-Id': api.database.tenants.development.environmentId,
    }),
  };
  return world;
}

export function pathOf(route: AnyRoute, { params = {}, query = {} }: FixtureRequest): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'missing'));
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

type Plants = Pick<World, Extract<keyof World, `plant${string}`>>;

function plants(api: TestApi, key: string, targetUrl: string): Plants {
  const made: Plants = {
    plantSecret: async () => {
      const name = `S${randomUUID().slice(0, 8)}`;
      await planted(api.call('PUT', `/api/v2/secrets/${name}`, { key, body: { value: 'planted' } }));
      return name;
    },
    plantBudget: async () => {
      const { record } = await api.createKey(api.database.tenants.development);
      await planted(api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: { caps: { total: 1_000_000 } } }));
      return record.id;
    },
    plantAction: async () => {
      const body = {
        name: `a${randomUUID().slice(0, 8)}`,
        adapter: { type: 'http.request', config: { method: 'POST', url: targetUrl } },
      };
      const json = await planted(api.call('POST', '/api/v2/actions', { key, body }));
      return (json as { data: { id: string; name: string } }).data;
    },
    plantGovernedAction: async () => {
      const body = {
        name: `g${randomUUID().slice(0, 8)}`,
        adapter: { type: 'http.request', config: { method: 'POST', url: targetUrl } },
        governed: true,
      };
      const json = await planted(api.call('POST', '/api/v2/actions', { key, body }));
      return (json as { data: { id: string; name: string } }).data;
    },
    plantVersion: async (actionId) => {
      const body = { timeoutMs: 1_000 + Math.floor(Math.random() * 10_000) };
      await planted(api.call('PATCH', `/api/v2/actions/${actionId}`, { key, body }));
    },
    plantInvocation: async (actionId) => plantInvocation(api, actionId ?? (await made.plantAction()).id),
    plantPreview: async () => {
      const { id } = await made.plantGovernedAction();
      const json = await planted(api.call('POST', `/api/v2/actions/${id}/previews`, { key, body: { input: {} } }));
      return (json as { data: { id: string } }).data.id;
    },
    plantEffect: async () => plantEffect(api, await made.plantInvocation()),
    plantUnknown: async ({ plain = false } = {}) => {
      const invocationId = await made.plantInvocation();
      const replayed = { replay: true, idempotencyWindowSeconds: 86_400 };
      const effectId = plain ? '' : await plantEffect(api, invocationId, replayed);
      await giveUp(api, invocationId, plain ? null : effectId);
      return { invocationId, effectId };
    },
    plantApproval: async () => {
      const [id, bindingDigest] = [newId('approval'), `sha256:${'a'.repeat(64)}`];
      await api.database.asOwner(
        `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
           prevent_self, requested_by, expires_at)
         VALUES ($1, $2, 'free_standing', 'planted', 'planted', '{}', $3, 'caller', 'planted', 1, '[{}]', true,
           '{"type":"api_key","id":"key_planted"}', now() + interval '1 day')`,
        [id, api.database.tenants.development.environmentId, bindingDigest],
      );
      return { id, bindingDigest };
    },
    plantImpactLimit: async () => {
      const body = { name: `l${randomUUID()}`, dimension: 'emails', cap: 10, period: 'day' };
      const json = await planted(api.call('POST', '/api/v2/impact-limits', { key, body }));
      return (json as { data: { id: string } }).data.id;
    },
    plantMessage: async () => {
      const body = { url: targetUrl, delay: 3_600 };
      const json = await planted(api.call('POST', '/api/v2/messages/publish', { key, body }));
      return (json as { data: { messageId: string } }).data.messageId;
    },
    plantPolicy: async () => {
      const body = { document: policyDocument() };
      const json = await planted(api.call('POST', '/api/v2/approval-policies', { key, body }));
      return (json as { data: { id: string } }).data.id;
    },
    plantPolicyVersion: async (policyId) => {
      const body = { document: policyDocument() };
      await planted(api.call('PATCH', `/api/v2/approval-policies/${policyId}`, { key, body }));
    },
    plantPolicyPlan: async () => {
      const body = { files: [{ path: 'planted.json', content: JSON.stringify(policyDocument()) }] };
      const json = await planted(api.call('POST', '/api/v2/approval-policies/files/plan', { key, body }));
      return (json as { data: { planId: string; digest: string } }).data;
    },
    plantInvitation: async () => {
      const owner = await createPerson(api, 'owner');
      const path = `/api/v2/workspaces/${api.database.tenants.development.workspaceId}/members`;
      const json = await planted(owner.call('POST', path, { body: { email: `${randomUUID()}@example.test` } }));
      return (json as { data: { token: string } }).data.token;
    },
  };
  return made;
}

async function planted(call: ReturnType<TestApi['call']>): Promise<unknown> {
  const { status, json, text } = await call;
  if (status >= 300) throw new Error(`the fixture was refused with ${status}: ${text}`);
  return json;
}
/** As an invocation is found whose workflow has not begun. */
async function plantInvocation(api: TestApi, actionId: string): Promise<string> {
  const id = newId('invocation');
  await api.database.asOwner(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
     SELECT $1, v.environment_id, v.action_id, v.id, $1, 'sha256:planted', '{}', '{"type":"api_key","id":"key_planted"}'
     FROM action_versions v WHERE v.action_id = $2`,
    [id, actionId],
  );
  return id;
}

/** As a dispatch is left behind whose worker was lost. */
async function giveUp(api: TestApi, invocationId: string, effectId: string | null): Promise<void> {
  await api.database.asOwner(
    `UPDATE invocations SET status = 'dispatching', effect_id = $2, evaluated_at = now() WHERE id = $1`,
    [invocationId, effectId],
  );
  await api.database.asOwner(
    `INSERT INTO attempts (id, environment_id, invocation_id, number, kind, claimed_at)
     SELECT $2, environment_id, id, 1, 'dispatch', now() FROM invocations WHERE id = $1`,
    [invocationId, newId('attempt')],
  );
  await api.database.asOwner(
    `UPDATE effects SET stage = 'dispatching', outcome = 'pending', first_dispatched_at = now() WHERE invocation_id = $1`,
    [invocationId],
  );
  await api.database.asOwner(
    `UPDATE effects SET stage = 'reconciling', outcome = 'unknown', partial_effect = 'possible', outcome_at = now()
     WHERE invocation_id = $1`,
    [invocationId],
  );
  await api.database.asOwner(
    `UPDATE attempts SET status = 'abandoned', finished_at = now(), observed_outcome = 'unknown' WHERE invocation_id = $1`,
    [invocationId],
  );
  await api.database.asOwner(`UPDATE invocations SET status = 'unknown' WHERE id = $1`, [invocationId]);
}

async function plantEffect(
  api: TestApi,
  invocationId: string,
  capable: Partial<AdapterCapabilities> = {},
): Promise<string> {
  const id = newId('effect');
  const capabilities = {
    idempotent: false,
    idempotencyWindowSeconds: null,
    lookup: 'none',
    replay: false,
    preview: false,
    reversible: false,
    ...capable,
  };
  await api.database.asOwner(
    `INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type,
       adapter_version, capabilities, target, request, request_digest, impact, stage)
     SELECT $1, environment_id, id, operation_key, 'planted', version_id, 'http.request', '1', $3, '{}', '{}',
       'sha256:planted', '[]', 'ready' FROM invocations WHERE id = $2`,
    [id, invocationId, JSON.stringify(capabilities)],
  );
  return id;
}
