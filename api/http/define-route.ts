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
  response: R;
  /** Codes beyond those of `errorCodesOf`: 404 is among them where the route has a role or is of a workspace. */
  errors?: readonly ErrorCode[];
  quotaStatus?: typeof QUOTA_STATUS_PAYMENT;
  /** Feature that the workspace's plan must include; else 403 FEATURE_NOT_AVAILABLE. */
  feature?: Feature;
  /** New expensive work (docs/plans-and-limits.md, "Pausing expensive work"): refused with 503 while an operator pauses it. */
  expensive?: true;
  /**
   * For an idempotent route: a repeated run answers from a record that it committed. The handler's first transaction commits that record
   * and claims the Idempotency-Key.
   */
  answersFromRecord?: boolean;
  /** For an idempotent route: returns true when this request changes nothing; its Idempotency-Key then stays unused. */
  changesNothing?(body: unknown): boolean;
  /**
   * Adds a credential that is shown once to the reply's data, also of a replayed one, in a read-only transaction of the caller's
   * environment. The reply is recorded without it, so that the credential is in the vault alone.
   */
  reveal?(tx: EnvironmentTransaction, data: Data<R>, ctx: Contexts.Revealing): Promise<Data<R>>;
  exempt?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent with every 202, replayed ones too. */
  accepted?(data: Data<R>): Accepted;
  /** The largest body in bytes; 1 MiB by default. */
  bodyBytesMax?: number;
  /** The handler reads the body as it arrives. A Content-Length that is too long is refused first. */
  streamedBody?: StreamedBody;
  /** The handler returns a `stream` of bytes instead of JSON. */
  streamedReply?: true;
  /** The handler returns a `stream` of server-sent events without an end. This is the `data` of each. */
  events?: z.ZodType;
  beside?: Readonly<Record<string, z.ZodType>>;
  /** Set for a list and for a handler that pages by itself. The query has `page` and `limit`. */
  paginated?: true;
  /** Returns `text/csv` to a caller whose `Accept` prefers it. */
  csv?: true;
  /** Replies in the form of another protocol, by media type, for the API reference. */
  foreignReplies?: { success: JsonObject; failure: JsonObject };
}

export interface ReadBody<Parsed> {
  body: Parsed;
  /** Digest of the body's JSON value: equal bodies have equal digests. */
  digest: string;
}

type ReadsBody<Parsed> = (bytes: Uint8Array, deps: ApiDependencies, workspaceId: string) => Promise<ReadBody<Parsed>>;

interface OfEnvironment {
  /** Scope that an API key needs; `null` admits any authenticated caller. */
  scope: Scope | null;
  /** A key with only this scope passes too, and sees only what it created. */
  ownWithScope?: Scope;
  /** A further scope that a key needs, also for a replayed reply. */
  alsoScope?: Scope;
  /** Minimum role of a session. Without one, a session cannot satisfy a scope. */
  role?: Role;
  /** Minimum role of an app's user where it is not `role`: for what agents do with scopes that a member's app holds. */
  appRole?: Role;
  /** Concerns the member: an API key that has the scope gets 403 USER_IDENTITY_REQUIRED. */
  needsUser?: true;
  /**
   * The path names the environment (`{workspaceId}`, `{environmentId}`), not the header: a session reaches any environment of
   * its workspaces, an API key its own and no other (404).
   */
  environmentFromPath?: true;
  /** A session need not name an environment. The caller is then a `UserCaller`, and the route opens no transaction. */
  environmentOptional?: true;
  /** In a protected environment a person confirms it with a passkey (docs/identity.md, "Step-up"). */
  stepUp?: true;
  /** Bounds how many large bodies are held at once; called before the body is read. */
  openUpload?(deps: ApiDependencies, workspaceId: string): Upload;
}

interface OfUser {
  /** Also takes a session that still waits for the passkey of its user: the routes that finish a sign-in, and the sign-out. */
  finishesSignIn?: true;
}

interface Kinds<P, Q, B, Parsed> {
  /** The environment of an API key, or the one that a session names by `X-Environment-Id`. */
  environment: {
    declares: OfEnvironment;
    tx: EnvironmentTransaction;
    context: Contexts.EnvironmentContext<P, Q, Parsed>;
    handlerContext: Contexts.EnvironmentHandlerContext<P, Q, Parsed>;
  };
  /** The workspace of the path (`{workspaceId}`), for its members; an API key gets 403. `role` is the minimum. */
  workspace: {
    declares: { role: Role; inEnvironment?: never };
    tx: WorkspaceTransaction;
    context: Contexts.WorkspaceContext<P, Q, B>;
    handlerContext: Contexts.WorkspaceHandlerContext<P, Q, B>;
  };
  /** A signed-in user; an API key gets 403. */
  user: {
    declares: OfUser;
    tx: UserTransaction;
    context: Contexts.UserContext<P, Q, B>;
    handlerContext: Contexts.UserHandlerContext<P, Q, B>;
  };
  /** No credential and no transaction. The body is at most 8 KiB unless the route says otherwise. */
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
   * For a route of an environment: parses and checks a large body off the event loop. `request.body` then only describes it; this function
   * throws what that schema's check would.
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

/** A workspace route that works in one of its environments, which the request names. */
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
      /** Environment UUID. Row-level security hides an environment of another workspace. */
      inEnvironment(ctx: Contexts.WorkspaceContext<Out<P>, Out<Q>, Out<B>>): string;
    },
): WorkspaceRoute;
/**
 * Declares a route once: validation, authentication, the scope check, the transaction, OpenAPI and the suites read it
 * (docs/howto/add-a-route.md). `of` decides where it works and who may call it.
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
  // The route is called with what the definition's own schemas parsed, so the erased types hold.
  const route: AnyRoute = { ...DEFAULTS, ...(definition as AnyRoute) };
  if (route.of === 'public') route.bodyBytesMax ??= PUBLIC_BODY_BYTES_MAX;
  if (route.list === undefined) return route;
  const query = z.strictObject({ ...pageQuery, ...route.request.query?.shape });
  return { ...route, request: { ...route.request, query }, paginated: true };
}

const DEFAULTS = { scope: null, request: {}, errors: [] };

/** The sender is not authenticated: it gets little of our memory. */
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
export type UserRoute = Erased<'user', UserTransaction, Contexts.UserContext<U, U, U>> & OfUser;
export type PublicRoute = Erased<'public', never, never, Contexts.PublicHandlerContext<U, U, U>>;
export type AnyRoute = EnvironmentRoute | WorkspaceRoute | UserRoute | PublicRoute;
