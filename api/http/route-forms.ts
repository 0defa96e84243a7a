import type { z } from 'zod';
import type { Bytes } from '../../domain/files/file-store.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Page, Pagination } from './common-fields.ts';
import type { IncomingMessage } from 'node:http';
import type { EnvironmentTransaction, Tenant, UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import type { CommitOptions } from '../../db/scope.ts';
import type { Actor, Caller, MemberCaller, UserCaller } from './callers.ts';
import type { Upload } from '../threads/uploads.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Responses = Record<number, z.ZodType>;
export type Data<R extends Responses> = z.input<R[keyof R & number]>;

/** A call to a provider has mostly ended within this time. */
export const UNDER_WAY_RETRY_AFTER_SECONDS = 2;

/** What a 202 says beside its body. */
export interface Accepted {
  /** The path of the record that shows the result. */
  location: string;
  /** When a look is worth its request. */
  retryAfterSeconds: number;
}

/** A body that is no JSON. */
export interface StreamedBody {
  /** Others are refused with 415; null: any. */
  mediaType: string | readonly string[] | null;
  /** What its bytes may be packed with, which the handler unpacks; by default nothing. */
  contentEncodings?: readonly string[];
  /** For the API reference. */
  schema: JsonObject;
}

/** `data` of the envelope. Tests check it against the response schema of its status. */
export interface RouteReply<Data> {
  status: number;
  data: Data;
  pagination?: Pagination;
  /** Members that stand beside `data`, as the route's `beside` declares them. */
  beside?: Readonly<Record<string, unknown>>;
}

/** A reply that sets a cookie. A route that is replayed (Idempotency-Key) has none: headers are not kept. */
export interface ReplyWithHeaders<Data> extends RouteReply<Data> {
  headers?: Readonly<Record<string, string>>;
  /** Sent in place of `data`, by a route that answers a `streamedReply`. */
  stream?: Bytes;
  /** `data` as CSV, which is sent in its place to a caller who prefers it, by a route that declares `csv`. */
  csv?: string;
}

type ReplyOf<R extends Responses> = {
  /** One of `response`; a suite holds it to that. */
  status: number;
  data: Data<R>;
  headers?: Readonly<Record<string, string>>;
};

/** What an area says of a change; the machinery adds the workspace, the actor and the request. */
export interface AuditEntry {
  /** Such as `api_key.created`; docs/reference/audit-actions.md lists it. */
  action: AuditAction;
  target: { type: string; id: string };
  /** What a reader needs beside the names. Never a secret's value, a password, a key, or the hash of one. */
  details?: JsonObject;
  /** Where a change of an account concerns one workspace: the entry is in no other. */
  workspaceId?: string;
  /** Where a change of the workspace concerns one environment. */
  environmentId?: string;
}

/** `none: <why>`: this time nothing changed, or what changed has a record of its own (docs/audit.md). */
export type Audit = AuditEntry | readonly [AuditEntry, ...AuditEntry[]] | `none: ${string}`;

/** What a change comes to. */
export interface Done<Reply> {
  reply: Reply;
  audit: Audit;
  /**
   * Notifies others once everything is committed. If it fails, or the process dies before it, the reply does not change: something
   * that polls (the sweep, a timer) must find the same work. It may open transactions of its own.
   */
  after?: (deps: ApiDependencies) => Promise<void>;
}

/** Reads, in a read-only transaction. Answers `data` of the 200. */
export interface ReadForm<Tx, Context, R extends Responses> {
  read(tx: Tx, ctx: Context): Promise<z.input<R[200]>>;
  list?: never;
  change?: never;
  handler?: never;
}

/** Reads one page of a list. The machinery adds `page` and `limit` to the query, and `pagination` to the reply. */
export interface ListForm<Tx, Context, R extends Responses> {
  list(tx: Tx, ctx: Context & { page: Page }): Promise<{ items: z.input<R[200]>; total: number }>;
  read?: never;
  change?: never;
  handler?: never;
}

/**
 * Changes something, in one transaction that commits the work, its audit entry and its reply together. It touches nothing but
 * the transaction: it runs again where PostgreSQL ended it for a deadlock.
 */
export interface ChangeForm<Tx, Context, R extends Responses, Prepared, Admitted> {
  /**
   * Admits the work that `prepare` does, in a transaction of its own that commits before it. The admission stays counted if the work
   * fails or the process dies: a caller who could repeat the work for nothing would have no limit. It may read what `prepare` works on.
   */
  admit?(tx: Tx, ctx: Context): Promise<Admitted>;
  /** What costs time and no transaction (parsing, a fetch, a hash), before it begins. */
  prepare?(ctx: Context, admitted: Admitted): Promise<Prepared>;
  change(tx: Tx, ctx: Context, prepared: Prepared): Promise<Done<ReplyOf<R>>>;
  /** Takes the Idempotency-Key header, with all five rules of docs/idempotency.md. */
  idempotent?: true;
  read?: never;
  list?: never;
  handler?: never;
}

/** For the few routes that open their own transactions: they stream, make calls between two transactions, or need none. */
export type HandlerForm<Context, R extends Responses> = {
  handler(ctx: Context): Promise<ReplyWithHeaders<Data<R>>>;
  /** Why, as a sentence. */
  ownsItsTransaction: string;
  /** `recorded`: by itself. */
  audited: 'recorded' | `none: ${string}`;
  read?: never;
  list?: never;
  change?: never;
} & (
  | { idempotent?: never }
  /** The fence that keeps a second run, after a crash between the work and its reply, from doing the work again. */
  | { idempotent: true; fence: string }
);

export type Forms<Tx, Context, HandlerContext, R extends Responses, Prepared, Admitted = void> =
  | ReadForm<Tx, Context, R>
  | ListForm<Tx, Context, R>
  | ChangeForm<Tx, Context, R, Prepared, Admitted>
  | HandlerForm<HandlerContext, R>;

/** The forms as the machinery and the suites see them. Exactly one of `read`, `list`, `change` and `handler` is there. */
export interface ErasedForms<Tx, Context, HandlerContext> {
  read?(tx: Tx, ctx: Context): Promise<unknown>;
  list?(tx: Tx, ctx: Context & { page: Page }): Promise<{ items: unknown; total: number }>;
  admit?(tx: Tx, ctx: Context): Promise<unknown>;
  prepare?(ctx: Context, admitted: unknown): Promise<unknown>;
  change?(tx: Tx, ctx: Context, prepared: unknown): Promise<Done<ReplyWithHeaders<unknown>>>;
  handler?(ctx: HandlerContext): Promise<ReplyWithHeaders<unknown>>;
  ownsItsTransaction?: string;
  audited?: 'recorded' | `none: ${string}`;
  idempotent?: boolean;
  fence?: string;
}

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
  /** No reply is kept under an Idempotency-Key: unless the change is audited, its own statements are the last ones. */
  nothingFollows: boolean;
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
