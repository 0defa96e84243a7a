import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { claimCall } from '../../../db/flow-control/queue.ts';
import type { Grant } from '../../../domain/flow-control/flow-control.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { randomFrom } from '../../harness/random.ts';
import { KeyWorld } from './world.ts';

const SEED = 7;
const MESSAGES = 120;
const LIMITS = { rate: 40, periodSeconds: 1, parallelism: 4 };
const DELIVERERS = 8;
const FINISHES_MAX = 30;

const database = await createTestDatabase({ poolMax: 20 });

/** Publishers, deliverers, cancellers, crashes and a pacer at one key, and what they must never see. */
class Race {
  readonly random = randomFrom(SEED);
  readonly granted: string[] = [];
  readonly ended = new Set<string>();
  /** Dispatched and not yet finished, as their senders see it. */
  readonly sending = new Set<string>();
  mostSending = 0;
  readonly windows = new Map<string, Set<number>>();
  readonly key: KeyWorld;
  published = 0;
  retries = 0;

  constructor(key: KeyWorld) {
    this.key = key;
  }

  get isOver(): boolean {
    return this.published === MESSAGES && this.ended.size === MESSAGES;
  }

  take(grant: Grant | null): void {
    this.granted.push(...(grant?.messageIds ?? []));
  }

  async publish(): Promise<void> {
    while (this.published < MESSAGES) {
      const count = Math.min(MESSAGES - this.published, 1 + Math.floor(this.random() * 6));
      this.published += count;
      await this.key.publish(count);
      this.take(await this.key.grant());
    }
  }

  async deliver(): Promise<void> {
    while (!this.isOver) {
      const id = this.granted.shift();
      if (id === undefined) await delay(2);
      else await this.visit(id);
    }
  }

  private async visit(id: string): Promise<void> {
    const luck = this.random();
    if (luck < 0.1) {
      this.end(id, await this.key.release(id)); // cancelled
    } else if (luck < 0.2) {
      // The process died between the grant and the start: the lease ends, and whoever grants next finds that out.
      await database.asOwner(
        `UPDATE flow_control_queue SET lease_until = now() WHERE message_id = $1 AND dispatched_at IS NULL`,
        [id],
      );
    } else if (await this.claim(id)) {
      this.sending.add(id);
      this.mostSending = Math.max(this.mostSending, this.sending.size);
      await delay(this.random() * 10);
      this.sending.delete(id);
      if (luck < 0.4 && this.retries++ < FINISHES_MAX) {
        this.take(await this.key.release(id, { how: 'retried', againInMs: this.random() * 20 }));
      } else {
        this.end(id, await this.key.release(id));
      }
    } else {
      this.take(await this.key.release(id, { how: 'returned' }));
    }
  }

  private end(id: string, grant: Grant | null): void {
    if (this.ended.has(id)) throw new Error(`message ${id} ended twice`);
    this.ended.add(id);
    this.take(grant);
  }

  /** Claims the call and notes which one of its window it is. */
  private claim(id: string): Promise<boolean> {
    const { db } = database;
    return db.withEnvironment(this.key.tenant, async (tx) => {
      if (!(await claimCall(tx, id, 60_000))) return false;
      const { rows } = await tx.raw<{ rows: { at: string; count: number }[] }>(
        null,
        'SELECT window_started_at::text AS at, window_count AS count FROM flow_control_keys WHERE id = ?',
        [this.key.id],
      );
      const [{ at, count } = { at: '', count: 0 }] = rows;
      const counts = this.windows.get(at) ?? new Set();
      if (counts.has(count)) throw new Error(`the window of ${at} counted ${count} twice`);
      this.windows.set(at, counts.add(count));
      return true;
    });
  }

  async pace(): Promise<void> {
    while (!this.isOver) {
      const grant = await this.key.grant('pacer');
      this.take(grant);
      await delay(Math.min(20, grant.nextInMs ?? 20));
    }
  }
}

test(`publishers, ${DELIVERERS} deliverers, cancellations, lost starts and a pacer at one key (seed ${SEED})`, async () => {
  const race = new Race(await KeyWorld.of(database, LIMITS));
  const deliverers = Array.from({ length: DELIVERERS }, () => race.deliver());
  await Promise.all([race.publish(), race.publish(), race.pace(), ...deliverers]);
  expect(race.ended.size).toBe(MESSAGES);
  expect(race.mostSending).toBeLessThanOrEqual(LIMITS.parallelism);
  expect(race.mostSending).toBeGreaterThan(1);
  for (const counts of race.windows.values()) {
    expect([...counts].toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: counts.size }, (_, n) => n + 1),
    );
    expect(counts.size).toBeLessThanOrEqual(LIMITS.rate);
  }
  expect(race.windows.size).toBeGreaterThan(1);
  expect(await race.key.read()).toMatchObject({ waiting: 0, inFlight: 0 });
});
