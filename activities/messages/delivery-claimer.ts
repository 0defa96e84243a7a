import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Tenant } from '../../db/client.ts';
import { type Claimed, claimMessages, readByIndexes, renewLeases } from '../../db/messages/claims.ts';
import { findDueLanes } from '../../db/messages/directory.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import { readSealedSigningKeys, type SealedSigningKey } from '../../db/signing-keys/signing-keys.ts';
import type { Repeated } from '../repeat-until-stopped.ts';
import { AttemptSettler, type DeliveryDependencies } from './attempt-settler.ts';
import { readClaimedDeliveries, sendDelivery } from './claimed-deliveries.ts';
import { giveUpLostAttempts } from './give-up-lost-attempts.ts';
import { LaneTurns } from './lane-turns.ts';

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
    this.#settler = new AttemptSettler(deps);
  }

  /** A message of this environment may have become due. */
  wake(tenant: Tenant): void {
    this.#turns.add(tenant);
    this.#claimInTurn();
  }

  /** Looks, claims and renews until it is stopped. */
  run(): Repeated {
    const stops = [this.#repeatLook(), this.#repeatRenewal()];
    return {
      stop: async () => {
        this.#isStopping = true;
        for (const stop of stops) stop();
        this.#turns.close();
        await this.#drained();
      },
    };
  }

  #claimInTurn(): void {
    while (!this.#isStopping && this.#free > 0 && this.#claims < CLAIMS_AT_ONCE) {
      const tenant = this.#turns.next();
      if (tenant === null) return;
      const most = Math.min(this.#free, CLAIMED_AT_ONCE_MAX);
      this.#free -= most;
      this.#claims++;
      void this.#claimFor(tenant, most).then((claimed) => {
        this.#free += most - claimed;
        this.#claims--;
        this.#turns.end(tenant);
        this.#claimInTurn();
        if (this.#isStopping) this.#noteIfIdle();
      });
    }
  }

  /** Returns how many were claimed. Never rejects. */
  async #claimFor(tenant: Tenant, most: number): Promise<number> {
    let works: MessageWork[];
    try {
      const { claimed, keys } = await this.#claimed(tenant, most);
      const { works: read, signersOf } = await readClaimedDeliveries(this.#deps, tenant, claimed, keys);
      works = read;
      for (const work of works)
        void this.#deliver(tenant, work, () => sendDelivery(this.#deps, tenant, work, signersOf(work)));
      this.#turns.note(tenant, { ...claimed, isFull: works.length === most }, () => this.wake(tenant));
    } catch (error) {
      // What a lost answer has claimed is given up when its lease ends.
      this.#deps.logger.warn({ ...tenant, err: error }, 'could not claim messages: trying again');
      this.#turns.later(tenant, FAILED_AGAIN_MS, () => this.wake(tenant));
      return 0;
    }
    return works.length;
  }

  async #claimed(tenant: Tenant, most: number): Promise<{ claimed: Claimed; keys: SealedSigningKey[] }> {
    const input = {
      most,
      share: this.#deps.inFlightCaps.delivery,
      claim: this.#claim,
      worker: WORKER,
      leaseMs: this.#deps.heartbeatTimeoutMs,
      afterLane: this.#turns.laneOf(tenant),
    };
    return this.#deps.db.withEnvironment(tenant, async (tx) => {
      const [, claimed, keys] = await tx.last(
        () => readByIndexes(tx),
        () => claimMessages(tx, input),
        () => readSealedSigningKeys(tx),
      );
      return { claimed, keys };
    });
  }

  async #deliver(tenant: Tenant, work: MessageWork, send: () => ReturnType<typeof sendDelivery>): Promise<void> {
    this.#inFlight.set(work.id, { tenant, sinceMs: performance.now() });
    try {
      await this.#settler.settle(tenant, await send());
    } catch (error) {
      this.#deps.logger.error(
        { ...tenant, messageId: work.id, err: error },
        'an attempt has no recorded end: its lease ends',
      );
    } finally {
      this.#inFlight.delete(work.id);
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
        if (isLost) await giveUpLostAttempts(this.#deps, tenant);
        if (isLate) await this.#deps.paceMessages(tenant);
        this.wake(tenant);
      }
      found += due.length;
      afterId = due.length < LOOK_SIZE ? null : (due.at(-1)?.environmentId ?? null);
    }
    return found > 0;
  }

  #repeatLook(): () => void {
    let pauseMs = LOOK_MS.min;
    return repeatedly(
      () => pauseMs,
      async () => {
        const found = await this.#look();
        pauseMs = found ? LOOK_MS.min : Math.min(LOOK_MS.max, pauseMs * 2);
      },
      (error) => this.#deps.logger.warn({ err: error }, 'could not look at the lanes: trying again'),
    );
  }

  /** Others give an attempt up whose lease ends. */
  #repeatRenewal(): () => void {
    const everyMs = this.#deps.heartbeatTimeoutMs / 3;
    return repeatedly(
      () => everyMs,
      async () => {
        const long = [...this.#inFlight].filter(([, { sinceMs }]) => performance.now() - sinceMs > everyMs / 2);
        const held = new Map<Tenant, string[]>();
        for (const [id, { tenant }] of long) held.set(tenant, [...(held.get(tenant) ?? []), id]);
        for (const [tenant, messageIds] of held) {
          const renewed = { claim: this.#claim, messageIds, leaseMs: this.#deps.heartbeatTimeoutMs };
          await this.#deps.db.oneStatement(tenant, (tx) => renewLeases(tx, renewed));
        }
      },
      (error) => this.#deps.logger.warn({ err: error }, 'could not renew the leases of deliveries: trying again'),
    );
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

/** Repeats a step after pauses of a length that may change. Returns what ends it. */
function repeatedly(pauseMs: () => number, step: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout;
  let isOver = false;
  const plan = (): void => {
    if (!isOver) timer = setTimeout(() => void step().catch(failed).finally(plan), pauseMs());
  };
  plan();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
