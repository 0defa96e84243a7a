import { randomUUID } from 'node:crypto';
import { ROLES, roleSuffices } from '../../../domain/roles.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { foreignSubLists } from './sub-list-suite.ts';
import { expectError, expectSuccess, messageOf, rowsOf, type Suite } from './suite.ts';
import type { World } from './world.ts';

const NO_SUCH_KEY = `service_live_${'x'.repeat(32)}`;

/** Every route declares who may call it. */
const declaration: Suite = {
  name: 'declaration',
  title: 'says who may call it',
  covers: () => true,
  check: (_world, route) => {
    if (route.of === 'environment' && route.scope === null && route.environmentOptional !== true)
      return Promise.resolve(['it names no scope']);
    if (route.of === 'workspace' && route.role === undefined) return Promise.resolve(['it names no role']);
    const isKnown = route.scope === null || SCOPES.includes(route.scope);
    return Promise.resolve(isKnown ? [] : [`the scope ${route.scope} is unknown`]);
  },
};

const authentication: Suite = {
  name: 'authentication',
  title: 'answers 401 without a credential, and to a wrong one',
  covers: (route) => route.of !== 'public',
  async check(world, route) {
    const request = await world.requestFor(route);
    const findings: string[] = [];
    const credentials: [string, Record<string, string>][] = [
      ['no credential', {}],
      ['an unknown key', { Authorization: `Bearer ${NO_SUCH_KEY}` }],
      ['a malformed key', { Authorization: 'Bearer key' }],
      ['another scheme', { Authorization: `Basic ${world.key}` }],
      ['an unknown session', { Cookie: `service-session=${'x'.repeat(43)}` }],
    ];
    for (const [what, headers] of credentials) {
      findings.push(...expectError(what, await world.send(route, request, { headers }), 401, 'AUTHENTICATION_ERROR'));
    }
    return findings;
  },
};

const scope: Suite = {
  name: 'scope',
  title: 'answers 403 without its scope, and names it',
  covers: (route) => route.scope !== null,
  async check(world, route) {
    const also = route.of === 'environment' ? route.alsoScope : undefined;
    const findings: string[] = [];
    for (const lacked of also === undefined ? [`${route.scope}`] : [`${route.scope}`, also]) {
      const key = await world.keyWithout(lacked);
      const reply = await world.send(route, await world.requestFor(route), { key });
      findings.push(...expectError(`without ${lacked}`, reply, 403, 'AUTHORIZATION_ERROR'));
      if (!messageOf(reply).includes(lacked)) findings.push(`the message does not name the scope ${lacked}`);
    }
    return findings;
  },
};

/** The name of the environment that a key is bound to. */
async function environmentOf(world: World, key: string): Promise<string> {
  const identity = await world.api.call('GET', '/api/v2/auth/identity', { key });
  return (identity.json as { data: { environment: { name: string } } }).data.environment.name;
}

/** To a key of another environment or workspace, a row looks like one that never existed. The row stays unchanged. */
const tenancy: Suite = {
  name: 'tenancy',
  title: 'shows and changes nothing of another environment',
  covers: (route) => route.of === 'environment' && route.path.includes('{'),
  async check(world, route) {
    const request = await world.requestFor(route);
    const findings: string[] = [];
    for (const { who, key } of world.strangers) {
      const reply = await world.send(route, request, { key });
      findings.push(...expectError(`the key of ${who}`, reply, 404, 'NOT_FOUND'));
      const message = messageOf(reply);
      const named = /in environment (.*?) \(/.exec(message)?.[1];
      if (named !== undefined && named !== (await environmentOf(world, key))) {
        findings.push(`the reply to ${who} names an environment that is not its own: ${message}`);
      }
      if (message.includes('in this workspace and environment'))
        findings.push(`it does not say where it looked: ${message}`);
      for (const value of Object.values(request.params ?? {})) {
        // A version number is short enough to occur in a request id by chance.
        if (value.length > 3 && reply.text.includes(value)) findings.push(`the reply to ${who} repeats ${value}`);
      }
    }
    // The row existed, unchanged, all the time.
    return [...findings, ...expectSuccess('its own key', await world.sendAllowed(route, request))];
  },
};

const foreignLists: Suite = {
  name: 'foreignLists',
  title: 'lists nothing of another environment',
  covers: (route) => route.of === 'environment' && route.paginated === true && !route.path.includes('{'),
  async check(world, route) {
    const request = await world.requestFor(route);
    await world.plantRow(route, request);
    const total = (json: unknown): number | undefined =>
      (json as { pagination?: { total?: number } } | undefined)?.pagination?.total;
    const own = await world.sendAllowed(route, request);
    const findings = (total(own.json) ?? 0) > 0 ? [] : ['its own key sees no row: the fixture has no plantRow'];
    for (const { who, key } of world.strangers) {
      const reply = await world.send(route, request, { key });
      const { data } = (reply.json ?? {}) as { data?: unknown };
      if (total(reply.json) !== 0 || rowsOf(data).length !== 0) findings.push(`${who} sees ${total(reply.json)} rows`);
    }
    return findings;
  },
};

/** A user of another workspace finds nothing of this one, neither by its id nor by putting their own workspace's id before it. */
const workspaces: Suite = {
  name: 'workspaces',
  title: 'is not found for a member of another workspace',
  covers: (route) => route.of === 'workspace',
  async check(world, route) {
    const request = await world.requestFor(route);
    const stranger = await world.sessionHeaders('owner', 'other');
    const findings = expectError(
      'the owner of another workspace',
      await world.send(route, request, { headers: stranger }),
      404,
      'NOT_FOUND',
    );
    const { workspaceId: _, ...others } = request.params ?? {};
    if (Object.keys(others).length === 0) return findings;
    const params = { ...others, workspaceId: world.otherTenant.workspaceId };
    const smuggled = await world.send(route, { ...request, params }, { headers: stranger });
    return [...findings, ...expectError('its own workspace with an id of this one', smuggled, 404, 'NOT_FOUND')];
  },
};

const sessions: Suite = {
  name: 'sessions',
  title: 'answers 403 to a session without the role, or without what shows that our own page sent it',
  covers: (route) => route.of !== 'public',
  async check(world, route) {
    const request = await world.requestFor(route);
    const findings: string[] = [];
    const refuse = async (what: string, headers: Record<string, string>): Promise<void> => {
      const reply = await world.send(route, request, { headers });
      findings.push(...expectError(what, reply, 403, 'AUTHORIZATION_ERROR'));
    };
    const owner = await world.sessionHeaders('owner');
    if (route.of === 'environment' && route.role === undefined && route.scope !== null) {
      await refuse('a session on a route for scopes alone', owner);
    }
    for (const role of ROLES) {
      if (route.role === undefined || roleSuffices(role, route.role)) continue;
      await refuse(`the role ${role}`, await world.sessionHeaders(role));
    }
    if (route.of === 'workspace' || route.of === 'user') {
      await refuse('an API key', { Authorization: `Bearer ${world.key}` });
    }
    if (route.method === 'GET') return findings;
    const { 'X-CSRF-Token': _token, ...withoutToken } = owner;
    const { Origin: _origin, ...withoutOrigin } = owner;
    await refuse('no CSRF token', withoutToken);
    await refuse('a wrong CSRF token', { ...owner, 'X-CSRF-Token': 'x'.repeat(43) });
    await refuse('no Origin', withoutOrigin);
    await refuse('a foreign Origin', { ...owner, Origin: 'https://elsewhere.example' });
    return findings;
  },
};

/** The least role that a route names is enough, and the entry is under the person's name. */
const roles: Suite = {
  name: 'roles',
  title: 'serves a session with its role, and names the person in the audit entry',
  covers: (route) => route.of === 'workspace' || (route.of === 'environment' && route.role !== undefined),
  async check(world, route) {
    const request = await world.requestFor(route);
    const { Authorization: _key, ...special } = request.headers ?? {};
    const requestId = `roles-${randomUUID()}`;
    const { userId, headers } = await world.person(route.role ?? 'member');
    const { environmentId } = world.api.database.tenants.development;
    const reply = await world.send(route, request, {
      headers: { ...special, ...headers, 'X-Environment-Id': environmentId, 'X-Request-Id': requestId },
    });
    const findings = expectSuccess(`the role ${route.role}`, reply);
    const actors = await world.api.database.asOwner<{ actor_type: string; actor_id: string | null }>(
      'SELECT DISTINCT actor_type, actor_id FROM audit_log WHERE request_id = $1',
      [requestId],
    );
    for (const { actor_type, actor_id } of actors) {
      if (actor_type !== 'user' || actor_id !== userId)
        findings.push(`the audit entry names ${actor_type} ${actor_id}, and the person is ${userId}`);
    }
    return findings;
  },
};

export const ACCESS_SUITES: readonly Suite[] = [
  declaration,
  authentication,
  scope,
  tenancy,
  foreignLists,
  foreignSubLists,
  workspaces,
  sessions,
  roles,
];
