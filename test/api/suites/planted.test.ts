import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyRoute, defineRoute } from '../../../api/http/define-route.ts';
import { paginationOf } from '../../../api/http/common-fields.ts';
import { ROUTES } from '../../../api/routes.ts';
import { plantAction, REFUND } from '../actions/fixtures.ts';
import { violationsOf } from '../harness/reply-schemas.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { fixtureFindings, fixtureOf, ROUTE_AREAS } from './fixtures.ts';
import { CrashBeforeReply, exemptionFindings } from './reply-suites.ts';
import { suitesOver } from './suites.ts';
import { createWorld, worldAt } from './create-world.ts';
import type { FixtureRequest, World } from './world.ts';

type EnvironmentRoute = Extract<AnyRoute, { of: 'environment' }>;

function realRoute(id: string): AnyRoute {
  const route = ROUTES.find((candidate) => candidate.id === id);
  if (route === undefined) throw new Error(`no route is called ${id}`);
  return route;
}

function routeOf(id: string): EnvironmentRoute {
  const route = realRoute(id);
  if (route.of !== 'environment') throw new Error(`${id} is no route of an environment`);
  return route;
}

type Read = NonNullable<EnvironmentRoute['read']>;
type List = NonNullable<EnvironmentRoute['list']>;
type Change = NonNullable<EnvironmentRoute['change']>;

interface Planted {
  fault: string;
  /** The route that the suite is given. */
  declared: AnyRoute;
  /** The route that is mounted, if it differs. */
  mounted?: AnyRoute;
  /** For a route made for the plant. */
  request?: FixtureRequest;
  /** Replaces the fixture of a real route. */
  asks?: () => Promise<FixtureRequest>;
}

/** Always reads as the tenant that owns the rows, regardless of the caller. */
function forgetsTheEnvironment(id: string, world: World): EnvironmentRoute {
  const { read, list, ...route } = routeOf(id);
  const tenant = world.api.database.tenants.development;
  return {
    ...route,
    handler: ({ deps, ...context }) =>
      deps.db.withEnvironment(tenant, async (tx) => {
        if (read !== undefined) return { status: 200, data: await read(tx, { ...context, deps }) };
        if (list === undefined) throw new Error(`${id} neither reads nor lists`);
        const { items, total } = await list(tx, { ...context, deps, page: { limit: 20, offset: 0 } });
        return { status: 200, data: items, pagination: paginationOf(total, 1, 20) };
      }),
  };
}

/** Answers with one more field than it declares. */
function withExtraField(id: string): EnvironmentRoute {
  const route = routeOf(id);
  const read = route.read as Read;
  return {
    ...route,
    read: async (...given: Parameters<Read>) => ({ ...((await read(...given)) as object), internal: 1 }),
  };
}

/** The common part of routes made for a plant. */
const COMMON = {
  method: 'GET',
  summary: 'Planted',
  response: { 200: z.array(z.never()) },
  ownsItsTransaction: 'It is planted, and touches no database.',
  audited: 'none: it is planted',
} as const;

/** By the suite's name, and what is special: a route with one fault that the suite must find. */
const PLANTED: Record<string, (world: World) => Planted> = {
  declaration: () => ({ fault: 'a route without a scope', declared: { ...routeOf('effects.get'), scope: null } }),
  authentication: () => ({
    fault: 'a route that is mounted without authentication',
    declared: routeOf('effects.list'),
    mounted: defineRoute({
      of: 'public',
      ...COMMON,
      id: 'effects.list',
      path: routeOf('effects.list').path,
      handler: () => Promise.resolve({ status: 200, data: [] }),
    }),
  }),
  scope: () => ({
    fault: 'a route that asks for another scope than it declares',
    declared: routeOf('effects.get'),
    mounted: { ...routeOf('effects.get'), scope: 'actions:invoke' },
  }),
  tenancy: (world) => ({
    fault: 'a handler that forgets the environment',
    declared: forgetsTheEnvironment('effects.get', world),
  }),
  foreignLists: (world) => ({
    fault: 'a list that forgets the environment',
    declared: forgetsTheEnvironment('effects.list', world),
  }),
  foreignSubLists: (world) => {
    const { list: _, ...route } = routeOf('sessions.messages.list');
    return {
      fault: 'a list under a parent that reads past row-level security',
      declared: {
        ...route,
        handler: async ({ params }: { params: unknown }) => {
          const sql = 'SELECT sequence FROM session_messages WHERE session_id = $1';
          const data = await world.api.database.asOwner(sql, [(params as { id: string }).id]);
          return { status: 200, data, pagination: paginationOf(data.length, 1, 20) };
        },
      },
    };
  },
  workspaces: (world) => {
    const params = z.strictObject({ workspaceId: z.uuid() });
    const declared = defineRoute({
      of: 'workspace',
      id: 'planted.workspace',
      method: 'GET',
      path: '/api/v2/workspaces/{workspaceId}/planted',
      summary: 'Planted',
      role: 'member',
      request: { params },
      response: { 200: z.strictObject({}) },
      ownsItsTransaction: 'It is planted, and touches no database.',
      audited: 'none: it is planted',
      handler: () => Promise.resolve({ status: 200, data: {} }),
    });
    const { id, method, path, summary, response, errors } = declared;
    return {
      fault: 'a route of a workspace that lets every signed-in user in',
      declared,
      mounted: defineRoute({
        of: 'user',
        id,
        method,
        path,
        summary,
        response,
        errors,
        request: { params },
        ownsItsTransaction: 'It is planted, and touches no database.',
        audited: 'none: it is planted',
        handler: () => Promise.resolve({ status: 200, data: {} }),
      }),
      request: { params: { workspaceId: world.api.database.tenants.development.workspaceId } },
    };
  },
  sessions: () => ({
    fault: 'a route for admins that lets a member in',
    declared: { ...routeOf('effects.get'), role: 'admin' },
    mounted: { ...routeOf('effects.get'), role: 'member' },
  }),
  roles: () => ({
    fault: 'a route for members that lets only an admin in',
    declared: { ...routeOf('effects.get'), role: 'member' },
    mounted: { ...routeOf('effects.get'), role: 'admin' },
  }),
  unknownFields: () => ({
    fault: 'a body schema that lets unknown fields pass',
    declared: {
      ...routeOf('effects.addNote'),
      request: { ...routeOf('effects.addNote').request, body: z.looseObject({ note: z.string() }) },
    },
  }),
  wrongTypes: () => ({
    fault: 'a body schema that takes a number for a text',
    declared: routeOf('effects.addNote'),
    mounted: {
      ...routeOf('effects.addNote'),
      request: { ...routeOf('effects.addNote').request, body: z.strictObject({ note: z.coerce.string().min(3) }) },
    },
  }),
  bodies: () => ({
    fault: 'a route that takes a larger body than it declares',
    declared: routeOf('effects.addNote'),
    mounted: { ...routeOf('effects.addNote'), bodyBytesMax: 4_194_304 },
  }),
  'bodies of public routes': () => ({
    fault: 'a route without a credential that takes more than 8 KiB',
    declared: { ...realRoute('auth.session.create'), bodyBytesMax: 16_384 },
  }),
  pagination: () => {
    const route = routeOf('effects.list');
    const list = route.list as List;
    return {
      fault: 'a list that ignores its limit',
      declared: {
        ...route,
        list: (tx: Parameters<List>[0], context: Parameters<List>[1]) =>
          list(tx, { ...context, page: { limit: 100, offset: 0 } }),
      },
    };
  },
  methods: () => ({
    fault: 'a method that answers although it is not declared',
    declared: routeOf('effects.get'),
    mounted: { ...routeOf('effects.get'), method: 'DELETE' },
  }),
  conformance: () => ({
    fault: 'a reply with a field that is not declared',
    declared: withExtraField('effects.get'),
  }),
  rateLimit: () => ({
    fault: 'a route that is mounted past the rate limit of its workspace',
    declared: routeOf('effects.list'),
    mounted: defineRoute({
      of: 'public',
      ...COMMON,
      id: 'effects.list',
      path: routeOf('effects.list').path,
      handler: () => Promise.resolve({ status: 200, data: [] }),
    }),
  }),
  accepted: (world) => {
    const { accepted: _, ...route } = routeOf('actions.invoke');
    // No worker is there, so the reply is the 202 that comes when the action's time-out and ten seconds are over.
    const asks = async () => ({
      params: { ref: (await plantAction(world, { timeoutMs: 1 })).id },
      body: { input: REFUND },
    });
    return { fault: 'a route that answers 202 and says nothing of the result', declared: route, asks };
  },
  idempotency: () => ({
    fault: 'a route that declares the header and replays nothing',
    declared: routeOf('effects.addNote'),
    mounted: { ...routeOf('effects.addNote'), idempotent: false },
  }),
  atomicReply: () => {
    const { change, ...route } = routeOf('effects.addNote');
    return {
      fault: 'a handler that does not record its reply with its work',
      declared: {
        ...route,
        handler: async (context: Parameters<NonNullable<EnvironmentRoute['handler']>>[0]) => {
          const { reply } = await context.transaction((tx) => (change as Change)(tx, context, undefined));
          return reply;
        },
      },
    };
  },
  audited: () => {
    const route = routeOf('effects.addNote');
    const change = route.change as Change;
    return {
      fault: 'a change that leaves no entry, for a reason that docs/audit.md does not know',
      declared: {
        ...route,
        change: async (...given: Parameters<Change>) => ({
          ...(await change(...given)),
          audit: 'none: forgotten' as const,
        }),
      },
    };
  },
  heldCredential: () => {
    const { change, ...route } = routeOf('effects.addNote');
    return {
      fault: 'a handler that looks at its credential no more',
      declared: {
        ...route,
        handler: async (context: Parameters<NonNullable<EnvironmentRoute['handler']>>[0]) => {
          const { deps, caller } = context;
          const done = await deps.db.withEnvironment(caller.tenant, (tx) => (change as Change)(tx, context, undefined));
          return done.reply;
        },
      },
    };
  },
};

const world = await createWorld();

describe('a planted fault', () => {
  /** The suite's findings about the route, on an API in which the planted route replaces it. */
  async function findingsOf(name: string, { declared, mounted = declared, request, asks }: Planted): Promise<string[]> {
    const crash = new CrashBeforeReply();
    const others = ROUTES.filter((route) => route.id !== declared.id);
    const suite = suitesOver([...others, declared], crash).find((candidate) => candidate.name === name);
    if (suite === undefined || !suite.covers(declared)) throw new Error(`${name} does not cover ${declared.id}`);
    const api: TestApi = await startTestApi({
      database: world.api.database,
      routes: [...others, mounted],
      onReply: (route, reply) => {
        api.replyViolations.push(...violationsOf(route, reply));
        crash.onReply();
      },
    });
    try {
      const asked = worldAt(world, api);
      if (request !== undefined) asked.requestFor = () => Promise.resolve(request);
      if (asks !== undefined) asked.requestFor = asks;
      return await suite.check(asked, declared);
    } finally {
      await api.close();
    }
  }

  it.each(Object.keys(PLANTED))('fails the suite %s, and its absence does not', async (title) => {
    const planted = PLANTED[title]?.(world);
    if (planted === undefined) throw new Error(`nothing is planted for ${title}`);
    const [name = title] = title.split(' ');
    const found = await findingsOf(name, planted);
    expect(found, planted.fault).not.toEqual([]);
    const isReal = planted.request === undefined && name !== 'sessions';
    const sound = isReal ? realRoute(planted.declared.id) : planted.declared;
    expect(await findingsOf(name, { ...planted, declared: sound, mounted: sound })).toEqual([]);
  });

  it('is planted for every suite', () => {
    const suites = suitesOver(ROUTES, new CrashBeforeReply()).map(({ name }) => name);
    expect(suites.filter((name) => PLANTED[name] === undefined)).toEqual([]);
  });

  it.each([
    ['a route without a fixture', { fixtures: {} }],
    ['a fixture without a route', { routes: [] }],
  ])('in the fixtures is found, and the finding names the file: %s', (_, over) => {
    const audit = { routes: [], fixtures: {}, ...ROUTE_AREAS['audit'] };
    expect(fixtureFindings({ audit })).toEqual([]);
    const [finding, ...others] = fixtureFindings({ audit: { ...audit, ...over } });
    expect([finding, others]).toEqual([
      expect.stringMatching(/audit\.list.*test\/api\/audit\/fixtures\.ts|test\/api\/audit\/fixtures\.ts.*audit\.list/),
      [],
    ]);
  });

  it('in the route list, a route of no area, is found', () => {
    expect(() => fixtureOf({ ...routeOf('effects.get'), id: 'planted.route' })).toThrow('planted.route');
  });

  it.each([
    ['an empty reason', { tenancy: '' }],
    ['a suite that does not exist', { everything: 'It is a very special route indeed.' }],
    ['a suite that covers no such route', { idempotency: 'It is a very special route indeed.' }],
  ])('in the exemptions is found: %s', (_, exempt) => {
    const suites = suitesOver(ROUTES, new CrashBeforeReply());
    expect(exemptionFindings({ ...routeOf('effects.get'), exempt }, suites)).not.toEqual([]);
  });
});
