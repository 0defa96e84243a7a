import type { IncomingMessage } from 'node:http';
import type { EnvironmentTransaction, Tenant, UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import type { CommitOptions } from '../../db/scope.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Actor, Caller, MemberCaller, UserCaller } from './callers.ts';
import type { AuditEntry } from './route-forms.ts';
import type { Upload } from '../threads/upload.ts';

/** What a sign-in needs to know about the browser. */
export interface Browser {
  /** The address that the request came from. */
  address: string;
  /** The session cookie is sent without Secure only on loopback. */
  secureCookie: boolean;
  /** The request's session token, valid or not. */
  sessionToken: string | null;
}

/** The context of work in the machinery's transaction. It leaves the database out, so that nothing happens outside the transaction. */
export type WorkDependencies = Omit<ApiDependencies, 'db'>;

/** The context of a `reveal`. */
export interface Revealing {
  tenant: Tenant;
  deps: WorkDependencies;
}

interface CommonContext<Params, Query, Body> {
  /** Parsed by the route's schemas. */
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
  /** Aborted when the caller disconnects: waiting on its behalf ends. */
  signal: AbortSignal;
  deps: WorkDependencies;
}

export interface EnvironmentContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  caller: Caller;
  actor: Actor;
}

export interface WorkspaceContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  caller: MemberCaller;
  actor: Actor;
}

export interface UserContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  caller: UserCaller;
  actor: Actor;
  browser: Browser;
}

export interface CredentialContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  /** A session that named no environment is a `UserCaller`: it has no `tenant`. */
  caller: Caller | UserCaller;
}

export interface PublicContext<Params, Query, Body> extends CommonContext<Params, Query, Body> {
  browser: Browser;
}

/** The context of a handler that owns its transactions: the database, and transactions in which its credential holds. */
export type Owning<Context, Tx> = Omit<Context, 'deps'> & {
  deps: ApiDependencies;
  /** For a route with a `streamedBody`, which reads it; and for headers that the machinery does not know. */
  incoming: IncomingMessage;
  /** Counts the bytes of a body that the route reads itself, where it has an `openUpload`. */
  upload: Upload | null;
  /** The Idempotency-Key header where the route takes one and the caller sent it. */
  idempotencyKey: string | null;
  /** Whether the caller prefers CSV to JSON, on a route that answers both. */
  prefersCsv: boolean;
  /**
   * One transaction of the route's kind that begins with another look at the credential, which holds until the commit. It runs
   * again where PostgreSQL ended it for a deadlock, so `work` touches nothing but the transaction.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: CommitOptions): Promise<T>;
  /**
   * Stores the reply under the Idempotency-Key in the transaction that does the work, so that both commit or neither does.
   * Answers the reply, which the handler must return. Without a key it does nothing.
   */
  recordReply<Reply extends { status: number; data: unknown }>(tx: Tx, reply: Reply): Promise<Reply>;
  /** Appends an audit entry with the workspace, the actor and the request. The last statement of the transaction. */
  recordAudit(tx: Tx, entry: AuditEntry): Promise<void>;
};

export type EnvironmentHandlerContext<P, Q, B> = Owning<EnvironmentContext<P, Q, B>, EnvironmentTransaction>;
export type WorkspaceHandlerContext<P, Q, B> = Owning<WorkspaceContext<P, Q, B>, WorkspaceTransaction>;
export type UserHandlerContext<P, Q, B> = Owning<UserContext<P, Q, B>, UserTransaction>;
/** There is no credential to hold. */
export type PublicHandlerContext<P, Q, B> = Omit<PublicContext<P, Q, B>, 'deps'> & {
  deps: ApiDependencies;
  incoming: IncomingMessage;
};
