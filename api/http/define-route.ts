import type * as Contexts from './route-forms.ts';
import type { Accepted, Data, ErasedForms, Forms, Method, Responses, StreamedBody } from './route-forms.ts';
import type { Upload } from '../threads/uploads.ts';
import { z } from 'zod';
import type { EnvironmentTransaction, UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import type { ErrorCode, Issue, QUOTA_STATUS_PAYMENT } from '../../domain/errors.ts';
import type { Feature } from '../../domain/plans.ts';
import { type Role, ROLES } from '../../domain/roles.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { pageQuery } from './common-fields.ts';

export type {
  Actor,
  BearerCaller,
  Caller,
  KeyCaller,
  MemberCaller,
  OAuthCaller,
  SessionCaller,
  UserCaller,
} from './callers.ts';
export type { Browser, WorkDependencies } from './route-forms.ts';
export type { Audit, AuditEntry, Method, ReplyWithHeaders, RouteReply, StreamedBody } from './route-forms.ts';
export { ROLES, type Role };

type Out<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type Params = z.ZodObject | undefined;
type Body = z.ZodType | undefined;

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
  /** By default it takes nothing. The query of a list is without `page` and `limit`, which it takes anyway. */
  request?: {
    params?: P;
    query?: Q;
    body?: B;
    /**
     * Reports mistakes of a body that its schema cannot see. It is called for a request that is refused anyway, so that the caller learns
     * everything at once; `prepare` checks the same in a request that passes. `body` is any JSON value.
     */
    issuesBeside?(body: unknown): Issue[];
  };
  /** Schema of `data` by status. */
  response: R;
  /** Beyond the ones that every route has (401, 403 with a scope, 400 with a request, 404, 405, 429, 500, 503). */
  errors?: readonly ErrorCode[];
  /** The status of QUOTA_EXCEEDED, where it is not 429. */
  quotaStatus?: typeof QUOTA_STATUS_PAYMENT;
  /** What the workspace's plan must include; else 403 FEATURE_NOT_AVAILABLE. */
  feature?: Feature;
  /** New expensive work (docs/plans-and-limits.md, "Pausing expensive work"): refused with 503 while an operator pauses it. */
  expensive?: true;
  /**
   * For an idempotent route: run again for the same request, it answers from a record that it has committed. Its handler's first
   * transaction, which commits that record, claims the Idempotency-Key too.
   */
  answersFromRecord?: boolean;
  /** For an idempotent route: whether this request, its body checked, changes nothing. It then leaves its Idempotency-Key unused. */
  changesNothing?(body: unknown): boolean;
  /**
   * For a reply that shows a credential once: adds it to the data of the reply, also of a replayed one, in a read-only transaction of the
   * caller's environment. The reply is recorded under its Idempotency-Key without it, so that the credential is in the vault alone.
   */
  reveal?(tx: EnvironmentTransaction, data: Data<R>, ctx: Contexts.Revealing): Promise<Data<R>>;
  /** Why a suite that runs over every route passes this one by, keyed by the suite's name. */
  exempt?: Record<string, string>;
  /** Extra response headers, e.g. `Cache-Control: no-store`. */
  headers?: Record<string, string>;
  /** Where the result of a 202 will be. It is sent with every 202, replayed ones too. */
  accepted?(data: Data<R>): Accepted;
  /** The largest body in bytes; 1 MiB by default. */
  bodyBytesMax?: number;
  /** The body is no JSON: the handler reads it as it arrives. What is too long by its Content-Length is refused before. */
  streamedBody?: StreamedBody;
  /** The reply is bytes, not JSON: the handler answers a `stream`. */
  streamedReply?: true;
  /** Schemas of the members that stand beside `data` in the reply. */
  beside?: Readonly<Record<string, z.ZodType>>;
  /** Set for a list; for a handler that pages by itself, too. Its query has `page` and `limit`. */
  paginated?: true;
  /** It answers `text/csv` too, to a caller whose `Accept` prefers that. */
  csv?: true;
  /** Replies in the form of another protocol, in success and in failure: for the API reference, by media type. */
  foreignReplies?: { success: JsonObject; failure: JsonObject };
}

/** What a route made of the bytes of its body. */
export interface ReadBody<Parsed> {
  /** Handed to the route as `body`. */
  body: Parsed;
  /** Over the body's JSON value: equal bodies have equal ones. */
  digest: string;
}

type ReadsBody<Parsed> = (bytes: Uint8Array, deps: ApiDependencies, workspaceId: string) => Promise<ReadBody<Parsed>>;

/** What a route of one environment declares beside. */
interface OfEnvironment {
  /** What an API key needs; `null`: any authenticated caller. */
  scope: Scope | null;
  /** A key with only this scope passes too. The route then shows it only what the key itself made. */
  ownWithScope?: Scope;
  /** A scope that a key needs beside `scope`. It is checked for a replayed reply too, which a check in the work would not see. */
  alsoScope?: Scope;
  /** The least role with which a session may call it. Without one, a session cannot satisfy a scope. */
  role?: Role;
  /** It is about the member themselves: an API key that holds the scope gets 403 USER_IDENTITY_REQUIRED. */
  needsUser?: true;
  /**
   * The path names the environment (`{workspaceId}`, `{environmentId}`), not the header: a session reaches any environment of
   * its workspaces, an API key its own and no other (404).
   */
  environmentFromPath?: true;
  /** A session need not name an environment. The caller is then a `UserCaller`, and the route opens no transaction. */
  environmentOptional?: true;
  /** Asked before the body is read, where bodies are so large that only a few may be held at once. */
  openUpload?(deps: ApiDependencies, workspaceId: string): Upload;
}

/** By what a route is of: what it declares beside, and its transaction and contexts. */
interface Kinds<P, Q, B, Parsed> {
  /** An API key's own environment, or the one that a session names by `X-Environment-Id`. */
  environment: {
    declares: OfEnvironment;
    tx: EnvironmentTransaction;
    context: Contexts.EnvironmentContext<P, Q, Parsed>;
    handlerContext: Contexts.EnvironmentHandlerContext<P, Q, Parsed>;
  };
  /** The workspace that the path names (`{workspaceId}`), for its members: an API key gets 403. `role` is the least one. */
  workspace: {
    declares: { role: Role; inEnvironment?: never };
    tx: WorkspaceTransaction;
    context: Contexts.WorkspaceContext<P, Q, B>;
    handlerContext: Contexts.WorkspaceHandlerContext<P, Q, B>;
  };
  /** A signed-in user, whatever their workspaces: a session only; an API key gets 403. */
  user: {
    declares: unknown;
    tx: UserTransaction;
    context: Contexts.UserContext<P, Q, B>;
    handlerContext: Contexts.UserHandlerContext<P, Q, B>;
  };
  /** Anybody, without a credential, and so without a transaction. The body is at most 8 KiB unless the route says otherwise. */
  public: {
    declares: { change?: never; read?: never; list?: never };
    tx: never;
    context: never;
    handlerContext: Contexts.PublicHandlerContext<P, Q, B>;
  };
}
type Kind = keyof Kinds<unknown, unknown, unknown, unknown>;

export type RouteDefinition<
  K extends Kind,
  P extends Params,
  Q extends Params,
  B extends Body,
  R extends Responses,
  Parsed,
  Prepared,
  Admitted,
> = {
  of: K;
  /**
   * For a route of an environment. Parses and checks a body off the event loop, where it is so large that all other requests would wait for
   * it. The schema of `request.body` then only describes it, and this throws what the schema's check would.
   */
  readBody?: K extends 'environment' ? ReadsBody<Parsed> : never;
} & Declaration<P, Q, B, R> &
  Kinds<Out<P>, Out<Q>, Out<B>, Parsed>[K]['declares'] &
  Forms<
    Kinds<Out<P>, Out<Q>, Out<B>, Parsed>[K]['tx'],
    Kinds<Out<P>, Out<Q>, Out<B>, Parsed>[K]['context'],
    Kinds<Out<P>, Out<Q>, Out<B>, Parsed>[K]['handlerContext'],
    R,
    Prepared,
    Admitted
  >;

/** A route of a workspace whose work is in one environment of it, which the request names: the transaction is that environment's. */
export function defineRoute<
  P extends z.ZodObject,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Prepared = unknown,
>(
  definition: Declaration<P, Q, B, R> & { of: 'workspace'; role: Role } & Forms<
      EnvironmentTransaction,
      Contexts.WorkspaceContext<Out<P>, Out<Q>, Out<B>>,
      Contexts.WorkspaceHandlerContext<Out<P>, Out<Q>, Out<B>>,
      R,
      Prepared
    > & {
      /** Its UUID. Row-level security hides an environment of another workspace. */
      inEnvironment(ctx: Contexts.WorkspaceContext<Out<P>, Out<Q>, Out<B>>): string;
    },
): WorkspaceRoute;
/**
 * A route, declared once: validation, authentication, the scope check, the transaction, OpenAPI and the suites all read it
 * (docs/howto/add-a-route.md). `of` says what it works in, and so who may call it.
 */
export function defineRoute<
  K extends Kind,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Parsed = Out<B>,
  Prepared = unknown,
  Admitted = void,
>(definition: RouteDefinition<K, P, Q, B, R, Parsed, Prepared, Admitted>): Extract<AnyRoute, { of: K }>;
export function defineRoute(definition: object): AnyRoute {
  // The machinery calls the route with what the definition's own schemas parsed, so the erased types hold.
  const route: AnyRoute = { ...DEFAULTS, ...(definition as AnyRoute) };
  if (route.of === 'public') route.bodyBytesMax ??= PUBLIC_BODY_BYTES_MAX;
  if (route.list === undefined) return route;
  const query = z.strictObject({ ...pageQuery, ...route.request.query?.shape });
  return { ...route, request: { ...route.request, query }, paginated: true };
}

const DEFAULTS = { scope: null, request: {}, errors: [] };

/** A sender to a public route is not authenticated: it gets little of our memory. */
const PUBLIC_BODY_BYTES_MAX = 8_192;

type AnyDeclaration = Declaration<Params, Params, Body, Responses>;
type Erased<K extends Kind, Tx, Context, HandlerContext = Contexts.Owning<Context, Tx>> = AnyDeclaration &
  Required<Pick<AnyDeclaration, 'request' | 'errors'>> &
  ErasedForms<Tx, Context, HandlerContext> & { of: K; scope: Scope | null; role?: Role };

type U = unknown;
export type EnvironmentRoute = Erased<'environment', EnvironmentTransaction, Contexts.EnvironmentContext<U, U, U>> &
  Omit<OfEnvironment, 'scope' | 'role'> & { readBody?: ReadsBody<U> };
export type WorkspaceRoute = Erased<
  'workspace',
  WorkspaceTransaction & EnvironmentTransaction,
  Contexts.WorkspaceContext<U, U, U>
> & { inEnvironment?(ctx: Contexts.WorkspaceContext<U, U, U>): string };
export type UserRoute = Erased<'user', UserTransaction, Contexts.UserContext<U, U, U>>;
export type PublicRoute = Erased<'public', never, never, Contexts.PublicHandlerContext<U, U, U>>;
export type AnyRoute = EnvironmentRoute | WorkspaceRoute | UserRoute | PublicRoute;
