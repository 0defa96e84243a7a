import type { AnyRoute } from '../../../api/http/define-route.ts';
import type { Tenant } from '../../../db/client.ts';
import type { Role } from '../../../domain/roles.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { type CallOptions, type CallResult, startTestApi, type TestApi } from '../harness/test-api.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import type { FixtureRequest } from './fixture.ts';
import { fixtureOf } from './fixtures.ts';

/** One API and the credentials that the suites use. An area's fixtures plant their rows in its development environment. */
export interface World {
  /** The API that the suites call. */
  api: TestApi;
  /** A key of the development environment with every scope. */
  key: string;
  /** Keys with every scope that must see none of these rows: one of another environment, one of another workspace. */
  strangers: { who: string; key: string }[];
  /** A request that the route answers with success, for rows that exist. */
  requestFor(route: AnyRoute): Promise<FixtureRequest>;
  /** Makes one more row that the list's request returns. */
  plantRow(route: AnyRoute, request: FixtureRequest): Promise<void>;
  /** Sends it with the route's own method, and by default without a credential. */
  send(route: AnyRoute, request: FixtureRequest, options?: CallOptions): Promise<CallResult>;
  /** As `send`, with a credential that may do anything. */
  sendAllowed(route: AnyRoute, request: FixtureRequest, options?: CallOptions): Promise<CallResult>;
  /** The headers of a credential that may do anything on this route: a key, or an owner's session if the route takes no key. */
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
  /** The target of planted actions and messages. */
  targetUrl: string;
}

export interface WorldOptions {
  /** The API to call, which its starter closes; by default one with every route. */
  api?: TestApi;
  /** The target of planted actions. */
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
    targetUrl: options.targetUrl ?? 'https://example.com/hook',
  });
}

/** The same rows and keys, on another API with the same database. Rows are still planted through the first, because the other may have a fault. */
export function worldAt(world: World, api: TestApi): World {
  return asking(api, world, world);
}

type Asking =
  'api' | 'requestFor' | 'plantRow' | 'send' | 'sendAllowed' | 'credentialHeaders' | 'person' | 'sessionHeaders';

function asking(api: TestApi, parts: Omit<World, Asking>, planter?: World): World {
  let owner: Promise<Record<string, string>> | undefined;
  const world: World = {
    ...parts,
    api,
    requestFor: (route) => fixtureOf(route).request(planter ?? world),
    plantRow: async (route, request) => void (await fixtureOf(route).plantRow?.(planter ?? world, request)),
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
      // A user's own request can end their session. A permanent owner adds no member while members are counted.
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
