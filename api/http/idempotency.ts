import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Database, EnvironmentTransaction, Tenant } from '../../db/client.ts';
import {
  claimKey,
  type ClaimOutcome,
  type ClaimRequest,
  completeClaim,
  freeClaim,
  renewClaims,
  takeKey,
} from '../../db/idempotency/claims.ts';
import { KeyedWaiters } from '../../db/announcements/keyed-waiters.ts';
import { CHANNELS, type NotificationListener } from '../../db/announcements/notification-listener.ts';
import { Deadline } from '../../domain/deadline.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Bytes } from '../../domain/files/file-store.ts';
import { RequestAbortedError } from './client-gone.ts';
import { describeFailure } from '../../domain/failures.ts';

/** How long a duplicate waits for the first request. Below the minute after which many clients and proxies give up. */
export const IDEMPOTENCY_WAIT_MS = 45_000;
/** A holder that has not renewed its lease for this long counts as dead. */
export const IDEMPOTENCY_LEASE_MS = 15_000;
const RENEWALS_PER_LEASE = 3;
/** The least time between two re-checks. */
const RECHECK_MIN_MS = 20;

export interface IdempotencyOptions {
  waitMs?: number;
  leaseMs?: number;
}

/** What is answered: the status and the exact bytes of the body. */
export interface WireReply {
  status: number;
  body: string;
  /** Sent in place of the body. Nothing that streams is recorded. */
  stream?: Bytes;
  /** The body is CSV. It is no reply of a change, and not recorded. */
  isCsv?: true;
}

export interface IdempotentRequest {
  tenant: Tenant;
  key: string;
  requestDigests: ClaimRequest['requestDigests'];
  /** As in the route's definition. */
  answersFromRecord?: boolean;
  /** Aborted when the caller goes away: a duplicate then waits no longer. A handler that runs is never stopped by it. */
  signal: AbortSignal;
}

/**
 * Stores the reply in the transaction that does the request's work, so that both commit or neither does. If the claim was taken over in
 * the meantime, this throws and the work is rolled back: the new holder of the claim does it.
 */
export type StoreReply = (tx: EnvironmentTransaction, reply: WireReply) => Promise<void>;

interface HeldClaim {
  tenant: Tenant;
  key: string;
  holder: string;
  /** When the commit of the stored reply is flushed to disk. */
  flush: 'now' | 'with_the_next';
}

/**
 * Takes the key in a transaction of the work, as its first statement, so that the claim commits with what it guards. It throws
 * where the key is held, which rolls the transaction back; then the gate waits for the holder, or answers with its reply.
 */
export type ClaimInWork = (tx: EnvironmentTransaction) => Promise<void>;

/** The key is held, or its request was answered before. */
class KeyHeldError extends Error {}

/** Another request took the claim over while this one stalled. This one's work is rolled back. */
class ClaimLostError extends Error {}

/**
 * The five rules of the Idempotency-Key (docs/idempotency.md). Where a process may die, and what follows:
 *
 * - before the claim commits: nothing has happened, nothing is held. A route that answers from its record claims the key in the
 *   transaction that commits the record: the two stand together or not at all, and a duplicate waits for that commit.
 * - after the claim, before or within the handler: the lease is renewed no more. Within `leaseMs` a duplicate of the same
 *   request, waiting or new, takes the claim over and runs the handler. Another request with the key stays refused.
 * - after the handler's work committed: nothing is lost where the handler stores its reply in the transaction of its work
 *   (`recordReply` of the route's context), since the claim is completed by that commit. A handler that cannot, because its work
 *   is more than one transaction, has a fence of its own: an invocation's operation key is this key, so a second run finds the
 *   first one's row and answers for it. Such a route says so (`exempt.atomicReply`), and a suite holds every route to it.
 * - after the reply is stored, before it is sent: a retry replays it.
 * - PostgreSQL itself dies within 0.6 s of the reply: it keeps the stored reply, save that of a route that answers from its
 *   record (`answersFromRecord`), where the handler runs again and finds the record.
 * - a holder that stalls beyond its lease and comes back finds its claim taken over (the holder's UUID no longer matches). Where
 *   it stores the reply with its work, the work is rolled back and it answers as a duplicate; else it answers with what it did.
 * - where storing the reply fails, the work is done and is answered; the claim then lapses as if the process had died.
 * - where freeing a failed request's key fails, the key frees itself with the lease.
 */
export class IdempotencyGate {
  private readonly db: Database;
  private readonly logger: Logger;
  private readonly waitMs: number;
  private readonly leaseMs: number;
  private readonly held = new Map<string, HeldClaim>();
  private readonly waiters = new KeyedWaiters();
  private readonly detach: (() => void)[];
  private readonly renewal: NodeJS.Timeout;

  constructor(db: Database, listener: NotificationListener, logger: Logger, options: IdempotencyOptions = {}) {
    this.db = db;
    this.logger = logger;
    this.waitMs = options.waitMs ?? IDEMPOTENCY_WAIT_MS;
    this.leaseMs = options.leaseMs ?? IDEMPOTENCY_LEASE_MS;
    this.detach = [
      listener.listen(CHANNELS.idempotencyCompleted, (payload) => this.waiters.wake(payload)),
      listener.onGap(() => this.waiters.wakeAll()),
    ];
    this.renewal = setInterval(() => void this.renewAll(), this.leaseMs / RENEWALS_PER_LEASE).unref();
  }

  /**
   * Runs `handle` at most once for concurrent equal requests; later ones get its stored reply with `replayed: true`.
   *
   * @throws {ServiceError} idempotency_key_reuse, idempotency_request_in_progress, or what `handle` throws.
   */
  async run(
    request: IdempotentRequest,
    handle: (store: StoreReply, claimInWork: ClaimInWork | null) => Promise<WireReply>,
  ): Promise<{ reply: WireReply; replayed: boolean }> {
    const flush = request.answersFromRecord === true ? 'with_the_next' : 'now';
    const newClaim = (): HeldClaim => ({ tenant: request.tenant, key: request.key, holder: randomUUID(), flush });
    if (request.answersFromRecord === true) {
      const reply = await this.runClaiming(request, newClaim(), handle);
      if (reply !== null) return { reply, replayed: false };
    }
    for (;;) {
      const claim = newClaim();
      const outcome = await this.claimOrWait(request, claim);
      if (outcome.state === 'completed') {
        return { reply: { status: outcome.status, body: outcome.body }, replayed: true };
      }
      try {
        return { reply: await this.runClaimed(claim, (store) => handle(store, null)), replayed: false };
      } catch (error) {
        if (!(error instanceof ClaimLostError)) throw error;
        this.warnOfTakeover(claim);
      }
    }
  }

  /**
   * Runs the handler, which claims the key in its first transaction: one commit in place of two. Null where it did not get as far
   * as to take the key: the key is held, or the work was refused before. Then the claim comes first, as for any other route.
   */
  private async runClaiming(
    { requestDigests }: IdempotentRequest,
    claim: HeldClaim,
    handle: (store: StoreReply, claimInWork: ClaimInWork) => Promise<WireReply>,
  ): Promise<WireReply | null> {
    const attempt = { key: claim.key, requestDigests, holder: claim.holder, leaseMs: this.leaseMs };
    const seen = { isFree: false };
    try {
      return await this.runClaimed(claim, (store) =>
        handle(store, async (tx) => {
          seen.isFree = await takeKey(tx, attempt);
          if (!seen.isFree) throw new KeyHeldError();
        }),
      );
    } catch (error) {
      if (seen.isFree) throw error;
      return null;
    }
  }

  private async runClaimed(claim: HeldClaim, handle: (store: StoreReply) => Promise<WireReply>): Promise<WireReply> {
    this.held.set(claim.holder, claim);
    let stored: WireReply | null = null;
    try {
      const reply = await handle(async (tx, given) => {
        if (isFailure(given)) return;
        if (!(await completeClaim(tx, { ...claim, ...given }))) throw new ClaimLostError();
        stored = given;
      });
      if (reply !== stored) await this.finish(claim, reply);
      return reply;
    } catch (error) {
      // If the commit succeeded although its answer was lost, the claim is completed, and this does not change it.
      await this.free(claim);
      throw error;
    } finally {
      this.held.delete(claim.holder);
    }
  }

  /** Ends the timer and wakes the waiting requests, so that they look once more. */
  close(): void {
    clearInterval(this.renewal);
    for (const detach of this.detach) detach();
    this.waiters.wakeAll();
  }

  private async claimOrWait(
    request: IdempotentRequest,
    claim: HeldClaim,
  ): Promise<Extract<ClaimOutcome, { state: 'claimed' | 'completed' }>> {
    const deadline = Date.now() + this.waitMs;
    const waiterKey = `${request.tenant.environmentId}/${createHash('sha256').update(request.key, 'utf8').digest('hex')}`;
    const { requestDigests } = request;
    const attempt = { key: claim.key, requestDigests, holder: claim.holder, leaseMs: this.leaseMs };
    for (;;) {
      const looked = new AbortController();
      // Registered before the row is read, so an end between the read and the wait is not missed.
      const notified = this.waiters.wait(waiterKey, this.waitMs, looked.signal);
      try {
        const outcome = await this.claim(request.tenant, attempt);
        if (outcome.state === 'reused') throw new ServiceError('idempotency_key_reuse');
        if (outcome.state !== 'in_progress') return outcome;
        const remainingMs = deadline - Date.now();
        if (remainingMs <= 0) throw new ServiceError('idempotency_request_in_progress');
        if (request.signal.aborted) throw new RequestAbortedError();
        // Without a notification the next look is due when the holder's lease is, for then it may be dead.
        const recheckMs = Math.min(remainingMs, Math.max(RECHECK_MIN_MS, outcome.leaseRemainingMs));
        await Promise.race([notified, wakeAfter(recheckMs, looked.signal, request.signal)]);
      } finally {
        looked.abort();
      }
    }
  }

  /** On disk before anything that the handler commits. If PostgreSQL loses it before that, the request did nothing. */
  private async claim(tenant: Tenant, attempt: ClaimRequest): Promise<ClaimOutcome> {
    const options = { flush: 'with_the_next' } as const;
    const taken = await this.db.oneStatement(tenant, (tx) => takeKey(tx, attempt), options);
    return taken ? { state: 'claimed' } : this.db.withEnvironment(tenant, (tx) => claimKey(tx, attempt), options);
  }

  private async finish(claim: HeldClaim, reply: WireReply): Promise<void> {
    if (isFailure(reply)) return this.free(claim);
    try {
      const { tenant, flush } = claim;
      const isOurs = await this.db.oneStatement(tenant, (tx) => completeClaim(tx, { ...claim, ...reply }), { flush });
      if (!isOurs) this.warnOfTakeover(claim);
    } catch (error) {
      this.logger.error({ failure: describeFailure(error) }, 'the reply of an idempotent request was not stored');
    }
  }

  private async free(claim: HeldClaim): Promise<void> {
    try {
      await this.db.oneStatement(claim.tenant, (tx) => freeClaim(tx, claim));
    } catch (error) {
      this.logger.error({ failure: describeFailure(error) }, 'an idempotency key was not freed; its lease will');
    }
  }

  /** One timer renews all claims of the process, one statement for each environment. */
  private async renewAll(): Promise<void> {
    const byEnvironment = new Map<string, { tenant: Tenant; holders: string[] }>();
    for (const { tenant, holder } of this.held.values()) {
      const ofEnvironment = byEnvironment.get(tenant.environmentId) ?? { tenant, holders: [] };
      ofEnvironment.holders.push(holder);
      byEnvironment.set(tenant.environmentId, ofEnvironment);
    }
    for (const { tenant, holders } of byEnvironment.values()) {
      try {
        await this.db.oneStatement(tenant, (tx) => renewClaims(tx, holders, this.leaseMs));
      } catch (error) {
        this.logger.warn({ failure: describeFailure(error) }, 'idempotency claims were not renewed');
      }
    }
  }

  private warnOfTakeover({ tenant }: HeldClaim): void {
    this.logger.warn({ environmentId: tenant.environmentId }, 'an idempotency claim was taken over');
  }
}

/** Only 2xx replies are stored. Rule 5 of docs/idempotency.md. */
function isFailure({ status }: WireReply): boolean {
  return status < 200 || status > 299;
}

async function wakeAfter(delayMs: number, ...signals: AbortSignal[]): Promise<void> {
  using deadline = new Deadline(delayMs, ...signals);
  if (!deadline.signal.aborted) await once(deadline.signal, 'abort');
}
