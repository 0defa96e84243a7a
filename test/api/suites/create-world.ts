import { SCOPES } from '../../../domain/scopes.ts';
import { createPerson } from '../harness/people.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { fixtureOf } from './fixtures.ts';
import { isMembersOwn, pathOf, type World } from './world.ts';

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

/**
 * The same rows and keys, on another API with the same database. Rows are still planted through the first, because the other may have a
 * fault.
 */
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
        ...(request.raw === undefined ? {} : { raw: request.raw }),
        ...options,
        headers: { ...headers },
      }),
    sendAllowed: async (route, request, options = {}) => {
      const headers = { ...(await world.credentialHeaders(route)), ...request.headers, ...options.headers };
      return world.send(route, request, { ...options, headers });
    },
    credentialHeaders: (route) => {
      if (route.of === 'public') return Promise.resolve({});
      if (isMembersOwn(route)) return world.sessionHeaders('owner');
      if (route.of === 'environment') {
        return Promise.resolve({ Authorization: `Bearer ${parts.key}` });
      }
      // A user's own request can end their session. A permanent owner adds no member while members are counted.
      if (route.of === 'user') return world.sessionHeaders('owner');
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
