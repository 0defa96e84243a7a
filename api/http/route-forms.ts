import type { z } from 'zod';
import type { Bytes } from '../../domain/files/file-store.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Page, Pagination } from './pagination.ts';

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
