import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lockLostMessages, type Outcome, settleAttempts } from '../../../db/messages/claims.ts';
import type { MessageWork } from '../../../db/messages/message-work.ts';
import { cancelMessage } from '../../../db/messages/changes.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { randomFrom } from '../../harness/random.ts';
import { LaneWorld } from './world.ts';

const SEED = 7;
const MESSAGES = 120;
const LIMITS = { rate: 40, periodSeconds: 1, parallelism: 4 };
const CLAIMERS = 4;
const RETRIES_MAX = 30;
const LOST = { kind: 'retry', error: 'the worker was lost', delayMs: 0, isAgain: true } as const;

const database = await createTestDatabase({ poolMax: 20 });

/** Publishers, claimers, crashes and cancellations at one key, and what they must never see. */
class Race {
  readonly random = randomFrom(SEED);
  readonly ended = new Set<string>();
  /** Sent and not yet ended, as their senders see it. */
  readonly sending = new Set<string>();
  mostSending = 0;
  readonly waiting: string[] = [];
  published = 0;
  retries = 0;
  readonly world: LaneWorld;
  readonly keyId: string;

  constructor(world: LaneWorld, keyId: string) {
    [this.world, this.keyId] = [world, keyId];
  }

  get isOver(): boolean {
    return this.ended.size === MESSAGES;
  }

  async publish(): Promise<void> {
    while (this.published < MESSAGES) {
      const count = Math.min(MESSAGES - this.published, 1 + Math.floor(this.random() * 6));
      this.published += count;
      this.waiting.push(...(await this.world.publish(count, this.keyId)));
    }
  }

  async claim(): Promise<void> {
    while (!this.isOver) {
      const { attempts } = await this.world.claim({ most: 1 + Math.floor(this.random() * 3) });
      for (const { id } of attempts) this.sending.add(id);
      this.mostSending = Math.max(this.mostSending, this.sending.size);
      await Promise.all(attempts.map((attempt) => this.send(attempt)));
      await delay(3);
    }
  }

  private async send(attempt: MessageWork): Promise<void> {
    const luck = this.random();
    await delay(this.random() * 10);
    this.sending.delete(attempt.id);
    if (luck < 0.15) {
      // The process died: its lease ends, and whoever looks next finds that out.
      await database.asOwner(`UPDATE lane_queue SET lease_until = now() WHERE message_id = $1`, [attempt.id]);
    } else if (luck < 0.35 && this.retries++ < RETRIES_MAX) {
      await this.world.end([attempt], {
        kind: 'retry',
        error: '500',
        delayMs: Math.floor(this.random() * 20),
        isAgain: true,
      });
    } else {
      await this.world.end([attempt]);
      this.end(attempt.id);
    }
  }

  private end(id: string): void {
    if (this.ended.has(id)) throw new Error(`message ${id} ended twice`);
    this.ended.add(id);
  }

  async cancel(): Promise<void> {
    while (!this.isOver) {
      await delay(20);
      const id = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1)[0];
      if (id === undefined) continue;
      const result = await this.world.inTransaction(this.world.tenant, (tx) => cancelMessage(tx, id));
      if (result !== null && 'cancelled' in result) this.end(id);
    }
  }

  /** Gives up what was lost. */
  async look(): Promise<void> {
    while (!this.isOver) {
      await this.world.inTransaction(this.world.tenant, async (tx) => {
        const lost = await lockLostMessages(tx, { most: 100, inFlight: { claim: '', messageIds: [] } });
        await settleAttempts(
          tx,
          lost.map((work) => abandoned(work, LOST)),
        );
      });
      await delay(5);
    }
  }
}

function abandoned({ id: messageId, attempt: number }: MessageWork, outcome: Outcome) {
  const seen = { status: null, headers: null, body: null };
  return {
    messageId,
    number,
    status: 'abandoned',
    seen,
    failure: null,
    address: null,
    latencyMs: null,
    outcome,
  } as const;
}

test(`publishers, ${CLAIMERS} claimers, crashes and cancellations at one key (seed ${SEED})`, async () => {
  const world = await LaneWorld.of(database);
  const race = new Race(world, await world.key(LIMITS));
  await database.asOwner(NOTE_WINDOWS);
  const claimers = Array.from({ length: CLAIMERS }, () => race.claim());
  await Promise.all([race.publish(), race.publish(), race.look(), race.cancel(), ...claimers]);
  expect(race.mostSending).toBeLessThanOrEqual(LIMITS.parallelism);
  expect(race.mostSending).toBeGreaterThan(1);
  const [most] = await database.asOwner<{ calls: number; windows: number }>(
    'SELECT max(calls) AS calls, count(*)::int AS windows FROM (SELECT max(count) AS calls FROM noted GROUP BY started_at) w',
  );
  expect(most?.windows).toBeGreaterThan(1);
  expect(most?.calls).toBeLessThanOrEqual(LIMITS.rate);
  const [calls] = await database.asOwner<{ made: number; counted: number }>(
    `SELECT (SELECT count(*)::int FROM message_attempts) AS made,
       (SELECT sum(calls)::int FROM (SELECT max(count) AS calls FROM noted GROUP BY started_at) w) AS counted`,
  );
  expect(calls?.counted).toBe(calls?.made);
  expect(await world.read(race.keyId)).toMatchObject({ waiting: 0, inFlight: 0 });
});

/** Each count of each window, as it is written. */
const NOTE_WINDOWS = `
  CREATE TABLE noted (started_at timestamptz, count integer);
  CREATE FUNCTION note_window() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO noted VALUES (NEW.window_started_at, NEW.window_count); RETURN NULL; END $$;
  CREATE TRIGGER note AFTER UPDATE ON lanes FOR EACH ROW EXECUTE FUNCTION note_window()`;
