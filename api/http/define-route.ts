import type { Upload } from '../threads/upload.ts';
import { z } from 'zod';
import type { EnvironmentTransaction, UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import type { ErrorCode, Issue, QUOTA_STATUS_PAYMENT } from '../../domain/errors.ts';
import type { Feature } from '../../domain/plans.ts';
import { ROLES, type Role } from '../../domain/roles.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { pageQuery } from './pagination.ts';
import type * as Contexts from './route-context.ts';
import type {
  Accepted,
  Data,
  ErasedForms,
  Forms,
  HandlerForm,
  Method,
  Responses,
  StreamedBody,
} from './route-forms.ts';

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
export type { Browser, WorkDependencies } from './route-context.ts';
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
  /** The query of a list without `page` and `limit`, which it takes anyway. */
  request: {
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
  errors: readonly ErrorCode[];
  /** The status of QUOTA_EXCEEDED, where it is not 429. */
  quotaStatus?: typeof QUOTA_STATUS_PAYMENT;
  /** What the workspace's plan must include; else 403 FEATURE_NOT_AVAILABLE. */
  feature?: Feature;
  /** New expensive work (docs/plans-and-limits.md, "Pausing expensive work"): refused with 503 while an operator pauses it. */
  expensive?: true;
  /** For an idempotent route: run again for the same request, it answers from a record that it has committed. */
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

interface OfEnvironment<Parsed> {
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
  /**
   * Parses and checks a body off the event loop, where it is so large that all other requests would wait for it. The schema of
   * `request.body` then only describes it, and this throws what the schema's check would.
   */
  readBody?(bytes: Uint8Array, deps: ApiDependencies, workspaceId: string): Promise<ReadBody<Parsed>>;
  /** Asked before the body is read, where bodies are so large that only a few may be held at once. */
  openUpload?(deps: ApiDependencies, workspaceId: string): Upload;
}

export type EnvironmentRouteDefinition<
  P extends Params,
  Q extends Params,
  B extends Body,
  R extends Responses,
  Parsed,
  Prepared,
  Admitted,
> = Declaration<P, Q, B, R> &
  OfEnvironment<Parsed> &
  Forms<
    EnvironmentTransaction,
    Contexts.EnvironmentContext<Out<P>, Out<Q>, Parsed>,
    Contexts.EnvironmentHandlerContext<Out<P>, Out<Q>, Parsed>,
    R,
    Prepared,
    Admitted
  >;

/**
 * A route of one environment: an API key's own, or the one that a session names by `X-Environment-Id`. Declared once:
 * validation, authentication, the scope check, the transaction, OpenAPI and the suites all read it (docs/howto/add-a-route.md).
 */
export function defineRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Parsed = Out<B>,
  Prepared = unknown,
  Admitted = void,
>(definition: EnvironmentRouteDefinition<P, Q, B, R, Parsed, Prepared, Admitted>): EnvironmentRoute {
  // The machinery calls the route with what the definition's own schemas parsed, so the erased types hold.
  return { kind: 'environment', ...declared(definition) };
}

type WorkspaceForms<P, Q, B, R extends Responses, Prepared, Tx> = { role: Role } & Forms<
  Tx,
  Contexts.WorkspaceContext<P, Q, B>,
  Contexts.WorkspaceHandlerContext<P, Q, B>,
  R,
  Prepared
>;

/** A route of a workspace, for its members only: the path has `{workspaceId}`; an API key gets 403. `role` is the least one. */
export function defineWorkspaceRoute<
  P extends z.ZodObject,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Prepared = unknown,
>(
  definition: Declaration<P, Q, B, R> &
    WorkspaceForms<Out<P>, Out<Q>, Out<B>, R, Prepared, WorkspaceTransaction> & { inEnvironment?: never },
): AnyRoute {
  return { kind: 'workspace', scope: null, ...declared(definition) } as AnyRoute;
}

/** The same, where the work is in one environment of the workspace, which the request names: its transaction is that environment's. */
export function defineWorkspaceRouteInEnvironment<
  P extends z.ZodObject,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Prepared = unknown,
>(
  definition: Declaration<P, Q, B, R> &
    WorkspaceForms<Out<P>, Out<Q>, Out<B>, R, Prepared, EnvironmentTransaction> & {
      /** Its UUID. Row-level security hides an environment of another workspace. */
      inEnvironment(ctx: Contexts.WorkspaceContext<Out<P>, Out<Q>, Out<B>>): string;
    },
): AnyRoute {
  return { kind: 'workspace', scope: null, ...declared(definition) } as AnyRoute;
}

/** A route of a signed-in user, whatever their workspaces: a session only; an API key gets 403. */
export function defineUserRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
  Prepared = unknown,
>(
  definition: Declaration<P, Q, B, R> &
    Forms<
      UserTransaction,
      Contexts.UserContext<Out<P>, Out<Q>, Out<B>>,
      Contexts.UserHandlerContext<Out<P>, Out<Q>, Out<B>>,
      R,
      Prepared
    >,
): AnyRoute {
  return { kind: 'user', scope: null, ...declared(definition) };
}

/** A sender to a public route is not authenticated: it gets little of our memory. */
const PUBLIC_BODY_BYTES_MAX = 8_192;

/** A route that takes no credential, and so has no transaction that the machinery could open. Its body is at most 8 KiB. */
export function definePublicRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
>(
  definition: Declaration<P, Q, B, R> & HandlerForm<Contexts.PublicHandlerContext<Out<P>, Out<Q>, Out<B>>, R>,
): AnyRoute {
  return { kind: 'public', scope: null, bodyBytesMax: PUBLIC_BODY_BYTES_MAX, ...declared(definition) };
}

/** A route for any credential, where a session need not name an environment. */
export function defineCredentialRoute<
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
  R extends Responses = Responses,
>(definition: Declaration<P, Q, B, R> & HandlerForm<Contexts.CredentialContext<Out<P>, Out<Q>, Out<B>>, R>): AnyRoute {
  return { kind: 'credential', scope: null, ...declared(definition) };
}

/** What follows from the form: a list takes a page and answers its pagination. */
function declared<D extends { request: { query?: Params }; list?: unknown }>(definition: D): D & { paginated?: true } {
  if (definition.list === undefined) return definition;
  const query = z.strictObject({ ...pageQuery, ...definition.request.query?.shape });
  return { ...definition, request: { ...definition.request, query }, paginated: true };
}

export type RouteKind = AnyRoute['kind'];

type Erased<Kind extends string, Tx, Context, HandlerContext = Contexts.Owning<Context, Tx>> = Declaration<
  Params,
  Params,
  Body,
  Responses
> &
  ErasedForms<Tx, Context, HandlerContext> & {
    kind: Kind;
    scope: Scope | null;
    role?: Role;
    /** Set for a list. */
    paginated?: boolean;
  };

type U = unknown;
export type EnvironmentRoute = Erased<'environment', EnvironmentTransaction, Contexts.EnvironmentContext<U, U, U>> &
  Omit<OfEnvironment<U>, 'scope' | 'role'>;
export type WorkspaceRoute = Erased<
  'workspace',
  WorkspaceTransaction & EnvironmentTransaction,
  Contexts.WorkspaceContext<U, U, U>
> & { inEnvironment?(ctx: Contexts.WorkspaceContext<U, U, U>): string };
export type UserRoute = Erased<'user', UserTransaction, Contexts.UserContext<U, U, U>>;
export type CredentialRoute = Erased<
  'credential',
  never,
  Contexts.CredentialContext<U, U, U>,
  Contexts.CredentialContext<U, U, U>
>;
export type PublicRoute = Erased<
  'public',
  never,
  Contexts.PublicContext<U, U, U>,
  Contexts.PublicHandlerContext<U, U, U>
>;
export type AnyRoute = EnvironmentRoute | WorkspaceRoute | UserRoute | CredentialRoute | PublicRoute;
