import type { EnvironmentTransaction, UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import type { CommitOptions } from '../../db/scope.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Actor, Caller, MemberCaller, UserCaller } from './callers.ts';
import type { AuditEntry } from './route-forms.ts';

/** What a sign-in needs to know of the browser that asks. */
export interface Browser {
  /** The address that the request came from. */
  address: string;
  /** The session cookie is sent without Secure only on loopback. */
  secureCookie: boolean;
  /** The session token that the request brought, whether it is worth anything or not. */
  sessionToken: string | null;
}

/** What work in the machinery's transaction is handed: all but the database, so that nothing happens beside the transaction. */
export type WorkDependencies = Omit<ApiDependencies, 'db'>;

interface CommonContext<Params, Query, Body> {
  /** Parsed by the route's schemas. */
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
  /** Aborted when the caller leaves: what waits for its sake waits no longer. */
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

/** The part of a list that was asked for. */
export interface Page {
  limit: number;
  offset: number;
}

/** What a handler that owns its transactions is handed: the database, and transactions in which its credential holds. */
export type Owning<Context, Tx> = Omit<Context, 'deps'> & {
  deps: ApiDependencies;
  /** The Idempotency-Key header where the route takes one and the caller sent it. */
  idempotencyKey: string | null;
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
/** Nobody is known whose credential could hold. */
export type PublicHandlerContext<P, Q, B> = Omit<PublicContext<P, Q, B>, 'deps'> & { deps: ApiDependencies };
