import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../db/client.ts';
import { claimMessages, renewLeases } from '../../db/messages/claims.ts';
import { findDueLanes } from '../../db/messages/directory.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import { readSealedSigningKeys } from '../../db/signing-keys/signing-keys.ts';
import { type Repeated, repeatUntilStopped } from '../repeat-until-stopped.ts';
import { AttemptSettler, type ClaimAlong, type DeliveryDependencies } from './attempt-settler.ts';
import { readSigners, sendDelivery } from './claimed-deliveries.ts';
import { giveUpLostAttempts } from './give-up-lost-attempts.ts';
import { LaneTurns } from './lane-turns.ts';
import type { Taken } from './settle-attempts.ts';

export interface DeliveryClaimerOptions {
  /** The most deliveries of this process in flight. */
  slots: number;
  /** How long a stopping process waits for its deliveries. */
  shutdownGraceMs: number;
}

/** This worker as its attempts name it, and as Temporal names it. */
const WORKER = `${process.pid}@${hostname()}`;
const CLAIMED_AT_ONCE_MAX = 50;
/** Claims of different environments, each of which takes a connection while it lasts. */
const CLAIMS_AT_ONCE = 4;
/** The look for what nobody rang for: after a crash, of another process, by time. It becomes rarer while nothing is found. */
const LOOK_MS = { min: 500, max: 4_000 };
const LOOK_SIZE = 1_000;
const FAILED_AGAIN_MS = 1_000;
/** The share of settlements that take no places again. */
const LEFT_TO_OTHERS = 0.1;

/**
 * Claims due messages and delivers them, in every worker process. It claims for an environment when it is woken, by the commit that made a
 * message due, by the end of a delivery that a limit waited for, by time, or by its own look at all lanes.
 *
 * Deliveries are at least once. A crash before the claim commits: nothing is sent, and the message is due. Between the claim and the record of
 * its end: the lease ends, the attempt is abandoned, and the message is due again. After that record: what was to be told of it is told by
 * time (`AttemptSettler`).
 */
export class DeliveryClaimer {
  readonly #deps: DeliveryDependencies;
  readonly #claim = randomUUID();
  readonly #turns = new LaneTurns();
  /** What is mended apart from the looks, one of each for an environment. */
  readonly #mending = new Map<string, Promise<void>>();
  /** The environments whose pacer was told within the last minute. */
  readonly #told = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  readonly #settler: AttemptSettler;
  readonly #inFlight = new Map<string, { tenant: Tenant; sinceMs: number }>();
  readonly #shutdownGraceMs: number;
  #free: number;
  #claims = 0;
  #isStopping = false;
  #whenIdle: () => void = () => undefined;

  constructor(deps: DeliveryDependencies, { slots, shutdownGraceMs }: DeliveryClaimerOptions) {
    this.#deps = deps;
    this.#free = slots;
    this.#shutdownGraceMs = shutdownGraceMs;
    this.#settler = new AttemptSettler(deps, (tenant) => this.#claimAlong(tenant));
  }

  /** A message of this environment may have become due. Returns false where it is not claimed now: the slots are taken, or it stops. */
  wake(tenant: Tenant): boolean {
    if (this.#isStopping) return false;
    const hasRoom = this.#free > 0;
    this.#turns.add(tenant);
    this.#claimInTurn();
    return hasRoom;
  }

  /** Looks, claims and renews until it is stopped. */
  run(): Repeated {
    const { logger, heartbeatTimeoutMs } = this.#deps;
    const repeated = [
      repeatUntilStopped(() => this.#look(), {
        intervalMs: LOOK_MS,
        failed: (error) => logger.warn({ err: error }, 'could not look at the lanes: trying again'),
      }),
      // Others give an attempt up whose lease ends.
      repeatUntilStopped(() => Promise.resolve(this.#renewLeases()), {
        intervalMs: heartbeatTimeoutMs / 3,
        failed: (error) => logger.warn({ err: error }, 'could not renew the leases of deliveries: trying again'),
      }),
    ];
    return {
      stop: async () => {
        this.#isStopping = true;
        this.#turns.close();
        await this.#drained();
        await Promise.all(repeated.map((one) => one.stop()));
        await Promise.all(this.#mending.values());
      },
    };
  }

  #claimInTurn(): void {
    while (!this.#isStopping && this.#free > 0 && this.#claims < CLAIMS_AT_ONCE) {
      const tenant = this.#turns.next();
      if (tenant === null) return;
      void this.#claimFor(tenant, this.#reserve());
    }
  }

  /** Slots for one claim. */
  #reserve(): number {
    const most = Math.min(this.#free, CLAIMED_AT_ONCE_MAX);
    this.#free -= most;
    this.#claims++;
    return most;
  }

  #release(tenant: Tenant, unused: number): void {
    this.#free += unused;
    this.#claims--;
    this.#turns.end(tenant);
    this.#claimInTurn();
    if (this.#isStopping) this.#noteIfIdle();
  }

  async #claimFor(tenant: Tenant, most: number): Promise<void> {
    let taken: Taken;
    try {
      const claim = this.#claimOf(tenant, most);
      taken = await this.#deps.db.withEnvironment(tenant, async (tx) => (await tx.last(() => claim(tx)))[0]);
    } catch (error) {
      this.#deps.logger.warn({ ...tenant, err: error }, 'could not claim messages: trying again');
      this.#turns.later(tenant, FAILED_AGAIN_MS, () => this.wake(tenant));
      this.#release(tenant, most);
      return;
    }
    await this.#begin(tenant, most, taken);
  }

  /**
   * Goes with the settlement of attempts where messages of their environment are left: the places are taken again at once. Now and then they are
   * not, so that another process gets some.
   */
  #claimAlong(tenant: Tenant): ClaimAlong | null {
    if (this.#isStopping || this.#free <= 0 || Math.random() < LEFT_TO_OTHERS || !this.#turns.beginLimited(tenant))
      return null;
    const most = this.#reserve();
    return {
      claim: this.#claimOf(tenant, most),
      end: (taken) => {
        if (taken !== null) {
          void this.#begin(tenant, most, taken);
          return;
        }
        this.#turns.add(tenant);
        this.#release(tenant, most);
      },
    };
  }

  #claimOf(tenant: Tenant, most: number): ClaimAlong['claim'] {
    const input = {
      most,
      share: this.#deps.inFlightCaps.delivery,
      claim: this.#claim,
      worker: WORKER,
      leaseMs: this.#deps.heartbeatTimeoutMs,
      afterLane: this.#turns.laneOf(tenant),
    };
    return async (tx) => {
      const [claimed, keys] = await tx.inOrder(
        () => claimMessages(tx, input),
        () => readSealedSigningKeys(tx),
      );
      return { claimed, keys };
    };
  }

  /** Begins the deliveries of a claim, and plans the next one by what it left. Never rejects. */
  async #begin(tenant: Tenant, most: number, { claimed, keys }: Taken): Promise<void> {
    const { works } = claimed;
    let begun = 0;
    try {
      const signersOf = works.length === 0 ? () => null : await readSigners(this.#deps, tenant, works, keys);
      for (const work of works) {
        begun++;
        void this.#deliver(tenant, work, () => sendDelivery(this.#deps, tenant, work, signersOf(work)));
      }
    } catch (error) {
      this.#deps.logger.warn({ ...tenant, err: error }, 'could not begin what was claimed: its leases end');
    }
    this.#turns.note(tenant, { ...claimed, isFull: works.length === most }, () => this.wake(tenant));
    this.#release(tenant, most - begun);
  }

  async #deliver(tenant: Tenant, work: MessageWork, send: () => ReturnType<typeof sendDelivery>): Promise<void> {
    const inFlight = { tenant, sinceMs: performance.now() };
    this.#inFlight.set(work.id, inFlight);
    try {
      await this.#settler.settle(tenant, await send());
    } catch (error) {
      this.#deps.logger.error(
        { ...tenant, messageId: work.id, err: error },
        'an attempt has no recorded end: its lease ends',
      );
    } finally {
      // After a long standstill this process may have claimed the message again, and that attempt is under way.
      if (this.#inFlight.get(work.id) === inFlight) this.#inFlight.delete(work.id);
      this.#free++;
      for (const waiting of this.#turns.waitingFor(tenant.workspaceId)) this.#turns.add(waiting);
      this.#claimInTurn();
      if (this.#isStopping) this.#noteIfIdle();
    }
  }

  /** Looks at all lanes, for what no other process has claimed. */
  async #look(): Promise<boolean> {
    let found = 0;
    for (let afterId: string | null = ''; afterId !== null && !this.#isStopping;) {
      const due = await findDueLanes(this.#deps.db, { afterId, limit: LOOK_SIZE });
      for (const { isLost, isLate, ...tenant } of due) {
        this.wake(tenant);
        if (isLate) void this.#tellPacer(tenant);
        if (isLost) void this.#oneAtATime('lost', tenant, () => this.#giveUpLost(tenant));
      }
      found += due.length;
      afterId = due.length < LOOK_SIZE ? null : (due.at(-1)?.environmentId ?? null);
    }
    return found > 0;
  }

  /** The next look finds what could not be mended. The other environments, and what is due in this one, do not wait for it. */
  async #oneAtATime(what: 'lost' | 'pace' | 'renew', tenant: Tenant, mend: () => Promise<void>): Promise<void> {
    const name = `${what}/${tenant.environmentId}`;
    if (this.#mending.has(name)) return;
    const mended = mend().catch((error: unknown) => {
      this.#deps.logger.warn(
        { ...tenant, what, err: error },
        'could not mend the lanes of an environment: trying again',
      );
    });
    this.#mending.set(name, mended);
    await mended;
    this.#mending.delete(name);
  }

  /** It may be a message that a key holds back, which no pacer helps: once a minute is enough for one that is lost. */
  async #tellPacer(tenant: Tenant): Promise<void> {
    if (this.#told.has(tenant.environmentId)) return;
    await this.#oneAtATime('pace', tenant, async () => {
      await this.#deps.paceMessages(tenant);
      // Behind it: the next look tells a pacer that could not be told.
      this.#told.set(tenant.environmentId, true);
    });
  }

  #giveUpLost(tenant: Tenant): Promise<void> {
    return giveUpLostAttempts(this.#deps, tenant, { claim: this.#claim, messageIds: [...this.#inFlight.keys()] });
  }

  #renewLeases(): void {
    const leaseMs = this.#deps.heartbeatTimeoutMs;
    const held = new Map<string, { tenant: Tenant; messageIds: string[] }>();
    for (const [id, { tenant, sinceMs }] of this.#inFlight) {
      if (performance.now() - sinceMs < leaseMs / 6) continue;
      const of = held.get(tenant.environmentId) ?? { tenant, messageIds: [] };
      of.messageIds.push(id);
      held.set(tenant.environmentId, of);
    }
    // None waits for another: a row that somebody has locked costs nobody else a lease.
    for (const { tenant, messageIds } of held.values()) {
      const renewed = { claim: this.#claim, messageIds, leaseMs };
      void this.#oneAtATime('renew', tenant, () =>
        this.#deps.db.oneStatement(tenant, (tx) => renewLeases(tx, renewed)),
      );
    }
  }

  async #drained(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    this.#noteIfIdle();
    const grace = new Promise<void>((resolve) => setTimeout(resolve, this.#shutdownGraceMs).unref());
    await Promise.race([idle, grace]);
    await this.#settler.drained();
  }

  #noteIfIdle(): void {
    if (this.#claims === 0 && this.#inFlight.size === 0) this.#whenIdle();
  }
}
