import { randomUUID } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { buildOpenApi } from '../../../api/openapi/build.ts';
import type { CallResult } from '../harness/test-api.ts';
import { codeOf, expectError, expectSuccess, type Suite } from './suite.ts';
import type { FixtureRequest, World } from './world.ts';

/** Checks replies against the OpenAPI document of these routes: a declared status, its media type, its schema, its request id. */
export class Contract {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly document: {
    paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  };

  constructor(routes: readonly AnyRoute[]) {
    addFormats.default(this.ajv);
    const document = buildOpenApi(routes);
    this.ajv.addSchema(document, 'document');
    this.document = document as unknown as typeof this.document;
  }

  violations(route: AnyRoute, reply: CallResult): string[] {
    const what = `the reply ${reply.status} ${codeOf(reply) ?? ''}`;
    const declared = this.document.paths[route.path]?.[route.method.toLowerCase()]?.responses[String(reply.status)];
    if (declared === undefined) return [`${what} has a status that is not declared`];
    const type = reply.headers.get('Content-Type');
    if (type?.startsWith('application/json') !== true) return [`${what} is ${type}`];
    // Errors are shared components; an operation's own reply is declared inline.
    const own = ['', 'paths', route.path, route.method.toLowerCase(), 'responses', String(reply.status)];
    const at = declared.$ref?.slice(1) ?? own.map(escaped).join('/');
    const validate = this.validatorOf(`document#${at}/content/${escaped('application/json')}/schema`);
    const findings = validate(reply.json) ? [] : [`${what} does not conform: ${this.ajv.errorsText(validate.errors)}`];
    const { requestId } = (reply.json ?? {}) as { requestId?: string };
    const header = reply.headers.get('X-Request-Id');
    if (header === null) findings.push(`${what} has no X-Request-Id`);
    if (reply.status >= 400 && requestId !== header) findings.push(`${what} has another requestId than its header`);
    return findings;
  }

  /** Compiled once: the shared error replies are checked hundreds of times. */
  private validatorOf($ref: string): ValidateFunction {
    const known = this.validators.get($ref);
    if (known !== undefined) return known;
    const validate = this.ajv.compile({ $ref });
    this.validators.set($ref, validate);
    return validate;
  }
}

/** A member's name as a part of a JSON pointer in a fragment. */
const escaped = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

export function conformanceSuite(routes: readonly AnyRoute[]): Suite {
  const contract = new Contract(routes);
  return {
    name: 'conformance',
    title: 'answers as docs/openapi.json says, in success and in error',
    covers: () => true,
    async check(world, route) {
      const request = await world.requestFor(route);
      const refusals = [
        // A public route would execute even without a credential.
        ...(route.of === 'public' ? [] : [await world.send(route, request)]),
        await world.sendAllowed(route, { ...request, query: { unexpected: '1' } }),
        await world.sendAllowed(route, request, { headers: { Accept: 'text/calendar' } }),
        ...(route.scope === null
          ? []
          : [await world.send(route, request, { key: await world.keyWithout(route.scope) })]),
      ];
      world.api.replyViolations.splice(0);
      const reply = await world.sendAllowed(route, request);
      const members = [
        'success',
        'data',
        ...Object.keys(route.beside ?? {}),
        ...(route.paginated === true ? ['pagination'] : []),
      ];
      return [
        ...expectSuccess('its fixture', reply),
        ...[...refusals, reply].flatMap((one) => contract.violations(route, one)),
        ...world.api.replyViolations.splice(0),
        ...(Object.keys((reply.json as object | undefined) ?? {}).join() === members.join()
          ? []
          : [`the members are ${Object.keys(reply.json as object).join()}`]),
      ];
    },
  };
}

const isIdempotent = (route: AnyRoute): boolean => route.idempotent === true;
const isReplay = (reply: CallResult): boolean => reply.headers.get('X-Idempotent-Replay') === 'true';

/** A request to the same route that differs only in its body, or in its path if the route takes no body. */
async function another(world: World, route: AnyRoute, request: FixtureRequest): Promise<FixtureRequest> {
  const other = await world.requestFor(route);
  if (JSON.stringify(other) !== JSON.stringify(request)) return other;
  return { ...request, params: Object.fromEntries(Object.keys(request.params ?? {}).map((name) => [name, 'another'])) };
}

const idempotency: Suite = {
  name: 'idempotency',
  title: 'keeps the rules of the Idempotency-Key',
  covers: isIdempotent,
  async check(world, route) {
    const request = await world.requestFor(route);
    const headers = { 'Idempotency-Key': randomUUID() };
    const refused = await world.sendAllowed(route, { ...request, query: { unexpected: '1' } }, { headers });
    const [first, ...duplicates] = await Promise.all(
      [0, 1, 2].map(() => world.sendAllowed(route, request, { headers })),
    );
    const again = await world.sendAllowed(route, request, { headers });
    if (first === undefined) throw new Error('three requests gave no reply');
    const findings = [
      ...expectError('a bad request with the key', refused, 400, 'VALIDATION_ERROR'),
      ...expectSuccess('the first request', first),
    ];
    const replies = [first, ...duplicates, again];
    if (new Set(replies.map(({ status, text }) => `${status} ${text}`)).size !== 1) findings.push('a replay differs');
    const replays = replies.filter(isReplay).length;
    if (replays !== 3) findings.push(`of three concurrent requests and one after them, ${replays} were replays`);
    const reused = await world.sendAllowed(route, await another(world, route, request), { headers });
    findings.push(...expectError('another request with the key', reused, 409, 'idempotency_key_reuse'));
    const [stranger] = world.strangers;
    const foreign = await world.send(route, request, { key: stranger?.key ?? '', headers });
    if (isReplay(foreign)) findings.push(`${stranger?.who} gets the reply of this environment`);
    for (const key of ['', 'x'.repeat(256)]) {
      const bad = await world.sendAllowed(route, request, { headers: { 'Idempotency-Key': key } });
      findings.push(...expectError(`a key of ${key.length} characters`, bad, 400, 'VALIDATION_ERROR'));
    }
    return findings;
  },
};

/** The state after a process that died between its commit and its reply: the retry must be a replay. */
export class CrashBeforeReply {
  private isDue = false;
  /** For the API's `onReply`: called after the handler and before its reply is stored. */
  readonly onReply = (): void => {
    if (!this.isDue) return;
    this.isDue = false;
    throw new Error('crashed before the reply was stored');
  };
  next(): void {
    this.isDue = true;
  }
}

export function atomicReplySuite(crash: CrashBeforeReply): Suite {
  return {
    name: 'atomicReply',
    title: 'commits its reply with its work: a crash between them is not seen',
    covers: isIdempotent,
    async check(world, route) {
      const request = await world.requestFor(route);
      const headers = { 'Idempotency-Key': randomUUID() };
      crash.next();
      const crashed = await world.sendAllowed(route, request, { headers });
      const retried = await world.sendAllowed(route, request, { headers });
      const findings = [
        ...expectError('the request whose process dies', crashed, 500, 'INTERNAL_ERROR'),
        ...expectSuccess('its retry', retried),
      ];
      return isReplay(retried)
        ? findings
        : [...findings, 'the retry did the work again: call recordReply in its transaction'];
    },
  };
}

const REASON_LENGTH_MIN = 20;

/** Every reason to escape a suite names a suite and is a sentence. */
export function exemptionFindings(route: AnyRoute, suites: readonly Suite[]): string[] {
  return Object.entries(route.exempt ?? {}).flatMap(([name, reason]) => [
    ...(suites.some((suite) => suite.name === name && suite.covers(route))
      ? []
      : [`${name} is no suite that covers it`]),
    ...(reason.length >= REASON_LENGTH_MIN && reason.endsWith('.') ? [] : [`"${reason}" is no reason`]),
  ]);
}

const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

const rateLimit: Suite = {
  name: 'rateLimit',
  title: 'tells a workspace with a rate limit, and a session, what is left of it',
  covers: (route) => route.of !== 'public',
  async check(world, route) {
    const request = await world.requestFor(route);
    const { workspaceId, environmentId } = world.otherTenant;
    const { params = {} } = request;
    const own = 'workspaceId' in params ? { ...params, workspaceId } : params;
    // A request that is refused for another reason has passed the rate limit, and changes nothing.
    const query = { unexpected: '1' };
    const asked = { ...request, query, params: 'environmentId' in own ? { ...own, environmentId } : own };
    const headers =
      route.of !== 'environment'
        ? await world.sessionHeaders('owner', 'other')
        : { Authorization: `Bearer ${world.otherKey}` };
    const before = Date.now();
    const reply = await world.send(route, asked, { headers });
    const [limit = NaN, remaining = NaN, reset = NaN] = RATE_LIMIT_HEADERS.map((name) =>
      Number(reply.headers.get(name)),
    );
    const isSound = limit > 0 && remaining >= 0 && remaining < limit && reset > before;
    return isSound ? [] : [`the reply ${reply.status} says ${limit}, ${remaining} left until ${reset}`];
  },
};

/** Replaces the data of a 202: a location follows from the id. */
const PARKED = { id: 'some_id', scheduleId: 'some_id', subscriptionId: 'some_id', status: 'pending_approval' };

export function acceptedSuite(routes: readonly AnyRoute[]): Suite {
  const readable = routes
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replaceAll(/\{\w+\}/g, 'some_id'));
  return {
    name: 'accepted',
    title: 'says with a 202 where the result will be and when to look, at a path that a GET answers',
    covers: (route) => route.response[202] !== undefined,
    async check(world, route) {
      if (route.accepted === undefined) return ['it answers 202 and declares no `accepted`'];
      const { location, retryAfterSeconds } = route.accepted(PARKED);
      const reply = await world.sendAllowed(route, await world.requestFor(route));
      const isTold = Number(reply.headers.get('Retry-After')) > 0 && reply.headers.get('Location') !== null;
      return [
        ...(readable.includes(location) ? [] : [`no GET answers ${location}`]),
        ...(Number.isInteger(retryAfterSeconds) && retryAfterSeconds > 0
          ? []
          : [`Retry-After is ${retryAfterSeconds}`]),
        ...(reply.status !== 202 || isTold ? [] : ['its 202 has no Location and Retry-After']),
      ];
    },
  };
}

export const REPLY_SUITES: readonly Suite[] = [idempotency, rateLimit];
