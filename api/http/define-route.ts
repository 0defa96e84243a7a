import type { Upload } from './upload.ts';
import type { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Feature } from '../../domain/plans.ts';
import { ROLES, type Role } from '../../domain/roles.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Actor, Caller, MemberCaller, UserCaller } from './callers.ts';

export type { Actor, Caller, KeyCaller, MemberCaller, SessionCaller, UserCaller } from './callers.ts';
export { ROLES, type Role };
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a sign-in needs to know of the browser that asks. */
export interface Browser {
  /** The address that the request came from. */
  address: string;
  /** The cookie of a session stands in clear on the loopback alone. */
  secureCookie: boolean;
  /** The session token that the request brought, whether it is worth anything or not. */
  sessionToken: string | null;
}

interface CommonContext<Params, Query, Body> {
  /** Parsed by the route's schemas. */
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
  deps: ApiDependencies;
  /** Aborted when the caller leaves: what waits for its sake waits no longer. */
  signal: AbortSignal;
}

export interface WorkspaceRouteContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  caller: MemberCaller;
  actor: Actor;
}

export interface UserRouteContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  caller: UserCaller;
  browser: Browser;
}

export interface PublicRouteContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  browser: Browser;
}

export interface CredentialRouteContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  /** A session that named no environment is a `UserCaller`: it has no `tenant`. */
  caller: Caller | UserCaller;
}

export interface RouteContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  caller: Caller;
  actor: Actor;
  /** The Idempotency-Key header where the route takes one and the caller sent it. */
  idempotencyKey: string | null;
  /**
   * Stores the reply under the Idempotency-Key in the transaction that does the work, so that both commit or neither does: the
   * last statement of that transaction. Answers the reply, which the handler must return. Without a key it does nothing.
   */
  recordReply<Reply extends RouteReply<unknown>>(tx: EnvironmentTransaction, reply: Reply): Promise<Reply>;
}

export interface Pagination {
  total: number;
  page: number;
  limit: number;
  totalPages: number;
  hasMore: boolean;
}

/** What a handler answers: `data` of the envelope. It is checked against the response schema of its status in tests. */
export interface RouteReply<Data> {
  status: number;
  data: Data;
  pagination?: Pagination;
}

/** A reply that sets a cookie. Routes that are replayed (Idempotency-Key) have none: their headers are not kept. */
export interface ReplyWithHeaders<Data> extends RouteReply<Data> {
  headers?: Readonly<Record<string, string>>;
}

type ObjectSchema = z.ZodObject;
type Out<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type Params = ObjectSchema | undefined;
type Body = z.ZodType | undefined;
type Responses = Record<number, z.ZodType>;
type Data<R extends Responses> = z.input<R[keyof R & number]>;

/** What every kind of route declares. */
interface Declaration<P extends Params, Q extends Params, B extends Body, R extends Responses> {
  /** Permanent: the OpenAPI operationId and the key of every suite that runs over the route list, e.g. `secrets.put`. */
  id: string;
  method: Method;
  /** In OpenAPI form: `/api/v2/secrets/{name}`. */
  path: string;
  /** One line, and what a reader of the API reference should know. */
  summary: string;
  description?: string;
  request: { params?: P; query?: Q; body?: B };
  /** Schema of `data` by status. `paginated`: the envelope carries `pagination`. */
  response: R;
  paginated?: boolean;
  /** Beyond the ones that every route has (401, 403 with a scope, 400 with a request, 404, 405, 429, 500, 503). */
  errors: readonly ErrorCode[];
  /** What the workspace's plan must include; else 403 FEATURE_NOT_AVAILABLE. */
  feature?: Feature;
  /** New expensive work (service.md "Errors", EXPENSIVE_WORK_PAUSED): refused with 503 while an operator pauses it. */
  expensive?: true;
  /** Run again for the same request, the handler answers from a record that it has committed: of an idempotent route. */
  answersFromRecord?: boolean;
  /** Why a suite that runs over every route passes this one by, keyed by the suite's name. */
  exempt?: Record<string, string>;
  /** Extra response headers, e.g. `Cache-Control: no-store`. */
  headers?: Record<string, string>;
  /** Bytes of a body that it takes at most; 1 MiB where nothing is said. */
  bodyBytesMax?: number;
}

/** What a route made of the bytes of its body. */
export interface ReadBody<Parsed> {
  /** Handed to the handler. */
  body: Parsed;
  /** Over the body's JSON value: equal bodies have equal ones. */
  digest: string;
}

export interface RouteDefinition<
  P extends Params = Params,
  Q extends Params = Params,
  B extends Body = Body,
  R extends Responses = Responses,
  Parsed = Out<B>,
> extends Declaration<P, Q, B, R> {
  /** What an API key needs; `null`: any authenticated caller. */
  scope: Scope | null;
  /** The least role with which a session may call it. Without one, a session cannot satisfy a scope. */
  role?: Role;
  /**
   * The path names the environment (`{workspaceId}`, `{environmentId}`), not the header: a session reaches any environment of
   * its workspaces, an API key its own and no other (404).
   */
  environmentFromPath?: true;
  /**
   * Takes the Idempotency-Key header, with all five rules of the specification. The handler calls `recordReply`, or
   * `exempt.atomicReply` names the fence that keeps a second run from doing the work again.
   */
  idempotent?: boolean;
  /**
   * Parses and checks the body in place of the event loop, for one so large that everybody else would wait for it. The
   * schema of `request.body` then only describes it, and this throws what the check by the schema would.
   */
  readBody?(bytes: Uint8Array, deps: ApiDependencies, workspaceId: string): Promise<ReadBody<Parsed>>;
  /** Asked before the body is read, where bodies are so large that only a few may be held at once. */
  openUpload?(deps: ApiDependencies, workspaceId: string): Upload;
  handler(context: RouteContext<Out<P>, Out<Q>, Parsed>): Promise<RouteReply<Data<R>>>;
}

/**
 * A route of one environment: an API key's own, or the one that a session names by `X-Environment-Id`. Declared once:
 * validation, authentication, the scope check, OpenAPI and the suites all read it.
 */
export function defineRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Parsed = Out<B>,
>(definition: RouteDefinition<P, Q, B, R, Parsed>): AnyRoute {
  // The machinery calls the handler with what the definition's own schemas parsed, so the erased types hold.
  return { kind: 'environment', ...definition };
}

export interface WorkspaceRouteDefinition<
  P extends ObjectSchema,
  Q extends Params,
  B extends Body,
  R extends Responses,
> extends Declaration<P, Q, B, R> {
  /** The least role. */
  role: Role;
  handler(context: WorkspaceRouteContext<Out<P>, Out<Q>, Out<B>>): Promise<RouteReply<Data<R>>>;
}

/**
 * A route of a workspace, below `/api/v2/workspaces/{workspaceId}/`, for a session only. Who is no member of the workspace
 * gets 404; an API key gets 403. The params schema names `workspaceId: z.uuid()`.
 */
export function defineWorkspaceRoute<
  P extends ObjectSchema,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
>(definition: WorkspaceRouteDefinition<P, Q, B, R>): AnyRoute {
  return { kind: 'workspace', scope: null, ...definition };
}

export interface UserRouteDefinition<
  P extends Params,
  Q extends Params,
  B extends Body,
  R extends Responses,
> extends Declaration<P, Q, B, R> {
  handler(context: UserRouteContext<Out<P>, Out<Q>, Out<B>>): Promise<ReplyWithHeaders<Data<R>>>;
}

/** A route of a signed-in user, whatever their workspaces: a session only; an API key gets 403. */
export function defineUserRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
>(definition: UserRouteDefinition<P, Q, B, R>): AnyRoute {
  return { kind: 'user', scope: null, ...definition };
}

export interface PublicRouteDefinition<
  P extends Params,
  Q extends Params,
  B extends Body,
  R extends Responses,
> extends Declaration<P, Q, B, R> {
  handler(context: PublicRouteContext<Out<P>, Out<Q>, Out<B>>): Promise<ReplyWithHeaders<Data<R>>>;
}

/** Whoever sends to a public route is nobody yet: they get little of our memory. */
const PUBLIC_BODY_BYTES_MAX = 8_192;

/** A route that takes no credential. Its body is at most 8 KiB. */
export function definePublicRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
>(definition: PublicRouteDefinition<P, Q, B, R>): AnyRoute {
  return { kind: 'public', scope: null, bodyBytesMax: PUBLIC_BODY_BYTES_MAX, ...definition };
}

export interface CredentialRouteDefinition<
  P extends Params,
  Q extends Params,
  B extends Body,
  R extends Responses,
> extends Declaration<P, Q, B, R> {
  handler(context: CredentialRouteContext<Out<P>, Out<Q>, Out<B>>): Promise<RouteReply<Data<R>>>;
}

/** A route for any credential, where a session need not name an environment. */
export function defineCredentialRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
>(definition: CredentialRouteDefinition<P, Q, B, R>): AnyRoute {
  return { kind: 'credential', scope: null, ...definition };
}

export type RouteKind = AnyRoute['kind'];

type Erased<Kind extends string, Definition extends { handler(context: never): unknown }, Context> = Omit<
  Definition,
  'handler' | 'scope' | 'role' | 'idempotent'
> & {
  kind: Kind;
  scope: Scope | null;
  role?: Role;
  idempotent?: boolean;
  handler(context: Context): Promise<ReplyWithHeaders<unknown>>;
};

type U = unknown;
export type AnyRoute =
  | Erased<'environment', RouteDefinition<Params, Params, Body, Responses, U>, RouteContext<U, U, U>>
  | Erased<'workspace', WorkspaceRouteDefinition<ObjectSchema, Params, Body, Responses>, WorkspaceRouteContext<U, U, U>>
  | Erased<'credential', CredentialRouteDefinition<Params, Params, Body, Responses>, CredentialRouteContext<U, U, U>>
  | Erased<'user', UserRouteDefinition<Params, Params, Body, Responses>, UserRouteContext<U, U, U>>
  | Erased<'public', PublicRouteDefinition<Params, Params, Body, Responses>, PublicRouteContext<U, U, U>>;
