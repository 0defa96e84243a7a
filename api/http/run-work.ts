import { BudgetExceededError, noteBudgetRefusal } from '../../db/budgets/admission.ts';
import { findArchived } from '../../db/archive/archived-keys.ts';
import type { TransactionOptions } from '../../db/scope.ts';
import { archivedText } from '../../domain/archive/archived-key.ts';
import { ServiceError } from '../../domain/errors.ts';
import { otherKindAmong } from '../../domain/other-kind.ts';
import { touchedIds } from '../../domain/touched-ids.ts';
import type { HttpContext } from './context.ts';
import type { AnyRoute } from './define-route.ts';
import { successBody } from './replies.ts';
import { describeFailure } from '../../domain/failures.ts';
import type { RouteRunner } from './route-runner.ts';
import type { ClaimInWork, StoreReply, WireReply } from './idempotency.ts';
import { paginationOf } from './common-fields.ts';
import type { Audit, AuditEntry, Done, ErasedForms, ReplyWithHeaders, RouteReply } from './route-forms.ts';
import {
  actorOf,
  type AnyCaller,
  appendAudit,
  credentialOf,
  isCredentialEnded,
  openTransaction,
  type RouteTransaction,
  RUNS_MAX,
  untilItCommits,
} from './route-transaction.ts';

/** A request that was read, validated and authorized. */
export interface Asked {
  runner: RouteRunner;
  route: AnyRoute;
  ctx: HttpContext;
  caller: AnyCaller | null;
  /** Identifies the caller again, as for a new request. */
  identify: () => Promise<AnyCaller>;
  /** The arguments of every form that do not depend on the caller. */
  parts: { params: unknown; query: unknown; body: unknown; requestId: string; deps: unknown; signal: AbortSignal };
  also: object;
  idempotencyKey: string | null;
}

/** A route's members without the types of its kind: the machinery opens the transaction that its definition was typed with. */
type AnyForms = ErasedForms<RouteTransaction, object, object>;

/** Does the route's work, by its form. `store` records the reply under the Idempotency-Key, in the transaction. */
export async function runWork(
  asked: Asked,
  store: StoreReply,
  claimInWork: ClaimInWork | null = null,
): Promise<WireReply> {
  const { runner, route, ctx } = asked;
  const work = new Work(asked, store, claimInWork);
  const reply = await work.run().catch(async (error: unknown) => {
    throw await tellingArchived(tellingKind(error, asked.parts.params), asked);
  });
  ctx.state.touched = touchedIds(asked.parts.params, reply.data);
  runner.onReply?.(route, reply);
  for (const [name, value] of Object.entries(reply.headers ?? {})) ctx.set(name, value);
  return work.stored.get(reply) ?? wireReplyOf(reply);
}

class Work {
  /** The reply as recorded in a transaction, by the reply that it was made from. */
  readonly stored = new Map<RouteReply<unknown>, WireReply>();
  private readonly asked: Asked;
  private readonly forms: AnyForms;
  private readonly store: StoreReply;
  private caller: AnyCaller | null;
  /** Set until the key is claimed, in the first transaction that a handler commits. */
  private claimInWork: ClaimInWork | null;

  constructor(asked: Asked, store: StoreReply, claimInWork: ClaimInWork | null) {
    this.claimInWork = claimInWork;
    this.asked = asked;
    this.forms = asked.route;
    this.store = store;
    this.caller = asked.caller;
  }

  async run(): Promise<ReplyWithHeaders<unknown>> {
    const { forms } = this;
    if (forms.read !== undefined) {
      const data = await this.reading((tx) => forms.read?.(tx, this.context()) as Promise<unknown>);
      return { status: 200, data };
    }
    if (forms.list !== undefined) return this.list();
    if (forms.change !== undefined) return this.change();
    if (forms.handler === undefined) throw new Error(`route ${this.asked.route.id} has no form`);
    return forms.handler(this.owning());
  }

  private async list(): Promise<ReplyWithHeaders<unknown>> {
    const { page, limit } = this.asked.parts.query as { page: number; limit: number };
    const context = { ...this.context(), page: { limit, offset: (page - 1) * limit } };
    const work = (tx: RouteTransaction): Promise<{ items: unknown; total: number }> =>
      this.forms.list?.(tx, context) as Promise<{ items: unknown; total: number }>;
    const { items, total } = await this.reading(work);
    return { status: 200, data: items, pagination: paginationOf(total, page, limit) };
  }

  private reading<T>(work: (tx: RouteTransaction) => Promise<T>): Promise<T> {
    return this.open(work, { readOnly: true });
  }

  private async change(): Promise<ReplyWithHeaders<unknown>> {
    const { forms } = this;
    const admit = forms.admit && ((tx: RouteTransaction) => forms.admit?.(tx, this.context()) as Promise<unknown>);
    const admitted = admit && (await this.held(admit));
    const prepared = await forms.prepare?.(this.context(), admitted);
    const done = await this.held(async (tx) => {
      const made = (await forms.change?.(tx, this.context(), prepared)) as Done<ReplyWithHeaders<unknown>>;
      await this.record(tx, made);
      return made;
    });
    await this.follow(done.after);
    return done.reply;
  }

  /**
   * Writes the reply, then the audit entry, then commits. The entry locks the end of the workspace's chain, for which every
   * change of the workspace waits. The holder of that lock waits for no other lock, so it cannot deadlock, and holds it for one
   * round trip.
   */
  private async record(tx: RouteTransaction, { reply, audit }: Done<ReplyWithHeaders<unknown>>): Promise<void> {
    await this.storeReply(tx, reply);
    for (const entry of entriesOf(audit)) await this.audit(tx, entry);
  }

  private async storeReply(tx: RouteTransaction, reply: RouteReply<unknown>): Promise<void> {
    if (this.asked.idempotencyKey === null) return;
    const wire = wireReplyOf(reply);
    await this.store(tx, wire);
    this.stored.set(reply, wire);
  }

  private audit(tx: RouteTransaction, entry: AuditEntry): Promise<void> {
    if (this.caller === null) throw new Error('a route without a caller has no audit entry of its own');
    return appendAudit(tx, this.caller, this.asked.parts.requestId, entry);
  }

  /** The sweep also finds what must follow a commit, so a failure here does not fail the request. */
  private async follow(after: Done<unknown>['after']): Promise<void> {
    if (after === undefined) return;
    const { runner, route, parts } = this.asked;
    try {
      await after(runner.deps);
    } catch (error) {
      const context = { route: route.id, requestId: parts.requestId, failure: describeFailure(error) };
      runner.deps.logger.warn(context, 'what follows a committed change failed: it is found and done later');
    }
  }

  /** The arguments of every form that depend on the caller, as known now. */
  private context(): object {
    const { parts, also } = this.asked;
    if (this.caller === null) return { ...parts, ...also };
    const nothingFollows = this.asked.idempotencyKey === null;
    return { ...parts, ...also, caller: this.caller, actor: actorOf(this.caller), nothingFollows };
  }

  private owning(): object {
    return {
      ...this.context(),
      incoming: this.asked.ctx.req,
      upload: this.asked.ctx.state.upload ?? null,
      idempotencyKey: this.asked.idempotencyKey,
      prefersCsv: this.asked.route.csv === true && this.asked.ctx.accepts('json', 'csv') === 'csv',
      transaction: <T>(work: (tx: RouteTransaction) => Promise<T>, options: TransactionOptions = {}) =>
        this.claiming(work, options),
      recordReply: async <Reply extends RouteReply<unknown>>(tx: RouteTransaction, reply: Reply): Promise<Reply> => {
        await this.storeReply(tx, reply);
        return reply;
      },
      recordAudit: (tx: RouteTransaction, entry: AuditEntry) => this.audit(tx, entry),
    };
  }

  /** A transaction of a handler; the first one that commits claims the Idempotency-Key, where it is not claimed yet. */
  private async claiming<T>(work: (tx: RouteTransaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const result = await this.held(async (tx) => {
      await this.claimInWork?.(tx);
      return work(tx);
    }, options);
    this.claimInWork = null;
    return result;
  }

  /**
   * A transaction in which the credential holds until the commit. Where the credential ended meanwhile, the caller is identified
   * again as for a new request: that either throws the answer of a new request, or returns the caller's current rights, and the
   * work runs with those.
   */
  private async held<T>(work: (tx: RouteTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    for (let run = 1; ; run++) {
      try {
        return await untilItCommits(() => {
          if (this.caller === null) throw new Error('a route without a caller has no transaction of its own');
          return this.open(work, { ...options, held: credentialOf(this.caller) });
        });
      } catch (error) {
        if (error instanceof BudgetExceededError) await this.noteRefusal(error);
        if (run >= RUNS_MAX || !isCredentialEnded(error)) throw error;
        this.caller = await this.asked.identify();
      }
    }
  }

  /** Its own transaction was rolled back. A note that fails does not change the answer: the next refusal makes it. */
  private async noteRefusal({ refusal }: BudgetExceededError): Promise<void> {
    const { runner, route, parts } = this.asked;
    if (this.caller === null || !('tenant' in this.caller)) return;
    try {
      await runner.deps.db.withEnvironment(this.caller.tenant, (tx) => noteBudgetRefusal(tx, refusal));
    } catch (error) {
      const context = { route: route.id, requestId: parts.requestId, failure: describeFailure(error) };
      runner.deps.logger.warn(context, 'a refusal by a budget was not noted: the next one is');
    }
  }

  private open<T>(work: (tx: RouteTransaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { runner, route } = this.asked;
    if (this.caller === null) throw new Error(`route ${route.id} has no caller, and so no transaction`);
    const environmentId = route.of === 'workspace' ? (route.inEnvironment?.(this.context() as never) ?? null) : null;
    return openTransaction(runner.deps.db, this.caller, environmentId, work, options);
  }
}

/** A 404 of a request whose path has the id of another kind says so. */
function tellingKind(error: unknown, params: unknown): unknown {
  if (!(error instanceof ServiceError) || error.missing === undefined) return error;
  const texts = Object.values(params as object).filter((value): value is string => typeof value === 'string');
  const otherKind = otherKindAmong(error.missing.what, texts);
  if (otherKind !== null) error.missing.otherKind = otherKind;
  return error;
}

/** A 404 of what was there and is archived says where it is. */
async function tellingArchived(error: unknown, { runner, caller, parts }: Asked): Promise<unknown> {
  if (!(error instanceof ServiceError) || caller === null || !('tenant' in caller)) return error;
  const what = error.missing?.what;
  const { id } = parts.params as { id?: unknown };
  if (error.missing === undefined || (what !== 'invocation' && what !== 'effect') || typeof id !== 'string')
    return error;
  const key = await runner.deps.db.oneStatement(caller.tenant, (tx) => findArchived(tx, what, id), { readOnly: true });
  if (key !== null) error.missing.archived = archivedText(what, key);
  return error;
}

function entriesOf(audit: Audit): readonly AuditEntry[] {
  if (typeof audit === 'string') return [];
  return Array.isArray(audit) ? (audit as readonly AuditEntry[]) : [audit as AuditEntry];
}

export function wireReplyOf(reply: ReplyWithHeaders<unknown>): WireReply {
  if (reply.stream !== undefined) return { status: reply.status, body: '', stream: reply.stream };
  if (reply.csv !== undefined) return { status: reply.status, body: reply.csv, isCsv: true };
  return { status: reply.status, body: successBody(reply) };
}
