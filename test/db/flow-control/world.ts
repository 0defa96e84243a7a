import type { EnvironmentTransaction, Tenant } from '../../../db/client.ts';
import { createKey, type KeyChange, lockKey, updateKey } from '../../../db/flow-control/changes.ts';
import { type FlowControlKeyRecord, getKey, type KeyStatus, readStatus } from '../../../db/flow-control/keys.ts';
import { type Claimed, claimMessages, holdLanes, type Outcome, settleAttempts } from '../../../db/messages/claims.ts';
import { insertMessages, type NewMessage } from '../../../db/messages/insert-messages.ts';
import type { MessageWork } from '../../../db/messages/message-work.ts';
import type { TestDatabase } from '../../harness/database.ts';
import { plainMessage } from '../messages/plain-message.ts';

export interface KeyLimits {
  rate?: number;
  periodSeconds?: number;
  parallelism?: number;
}

export interface ClaimOptions {
  most?: number;
  share?: number;
}

export interface Claim extends Pick<Claimed, 'isLeft' | 'isMore' | 'nextInMs'> {
  /** In the order of the claim's due times: it answers in none. */
  ids: string[];
  attempts: MessageWork[];
}

const NOTHING_SEEN = { status: null, headers: null, body: null };
const NOTHING_KNOWN = { failure: null, address: null, latencyMs: null };

/** The lanes of one environment, and what publishers, claimers and operators do with them: each call is a transaction. */
export class LaneWorld {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  /** Behind which the next claim begins. */
  private lastLane = '';
  private keys = 0;

  constructor(database: TestDatabase, tenant: Tenant) {
    this.database = database;
    this.tenant = tenant;
  }

  /** In a workspace of its own. */
  static async of(database: TestDatabase): Promise<LaneWorld> {
    return new LaneWorld(database, (await database.anotherWorkspace()).development);
  }

  inTransaction: TestDatabase['db']['withEnvironment'] = (tenant, work) =>
    this.database.db.withEnvironment(tenant, work);

  /** A new key with these limits; its id. */
  key({ rate, periodSeconds = 60, parallelism }: KeyLimits): Promise<string> {
    const limits = { rate: rate === undefined ? null : { rate, periodSeconds }, parallelism: parallelism ?? null };
    return this.inTransaction(this.tenant, (tx) => createKey(tx, `key-${this.keys++}`, limits));
  }

  /** Publishes messages in one batch, of a key or ordinary ones, and returns their ids in order. */
  async publish(count: number, keyId: string | null, given: Partial<NewMessage> = {}): Promise<string[]> {
    const flowControl = keyId === null ? null : { keyId, key: keyId };
    const messages = Array.from({ length: count }, () => plainMessage({ flowControl, ...given }));
    await this.inTransaction(this.tenant, (tx) => insertMessages(tx, messages));
    return messages.map(({ id }) => id);
  }

  claim(options: ClaimOptions = {}): Promise<Claim> {
    return this.inTransaction(this.tenant, (tx) => this.claimIn(tx, options));
  }

  async claimIn(tx: EnvironmentTransaction, { most = 50, share = 1_000 }: ClaimOptions = {}): Promise<Claim> {
    const input = { most, share, claim: 'claimer', worker: 'worker', leaseMs: 60_000, afterLane: this.lastLane };
    const { works, lastLane, isLeft, isMore, nextInMs } = await claimMessages(tx, input);
    this.lastLane = lastLane;
    return { ids: works.map(({ id }) => id).sort(), attempts: works, isLeft, isMore, nextInMs };
  }

  /** Ends attempts; `holdMs` is what their destination asked for with Retry-After. */
  end(attempts: readonly MessageWork[], outcome: Outcome = { kind: 'delivered' }, holdMs = 0): Promise<void> {
    return this.inTransaction(this.tenant, async (tx) => {
      await this.endIn(tx, attempts, outcome);
      const holds = attempts.flatMap(({ flowControlKeyId }) => flowControlKeyId ?? []);
      if (holdMs > 0) await holdLanes(tx, new Map(holds.map((keyId) => [keyId, holdMs])));
    });
  }

  async endIn(tx: EnvironmentTransaction, attempts: readonly MessageWork[], outcome: Outcome): Promise<void> {
    const ends = attempts.map(({ id: messageId, attempt: number }) => {
      return { messageId, number, status: 'completed', seen: NOTHING_SEEN, ...NOTHING_KNOWN, outcome } as const;
    });
    await settleAttempts(tx, ends);
  }

  change(keyId: string, change: KeyChange): Promise<void> {
    return this.inTransaction(this.tenant, async (tx) => {
      await lockKey(tx, keyId);
      await updateKey(tx, keyId, change);
    });
  }

  async read(keyId: string): Promise<FlowControlKeyRecord> {
    const record = await this.inTransaction(this.tenant, (tx) => getKey(tx, keyId));
    if (record === null) throw new Error('the key of this test is gone');
    return record;
  }

  status(keyId: string): Promise<KeyStatus> {
    return this.inTransaction(this.tenant, (tx) => readStatus(tx, keyId, 1_000));
  }

  /** Moves all that time decides in this environment into the past. */
  async letTimePass(seconds: number): Promise<void> {
    const by = `make_interval(secs => ${seconds})`;
    await this.database.asOwner(
      `UPDATE lanes SET window_started_at = window_started_at - ${by}, held_until = held_until - ${by} WHERE environment_id = $1`,
      [this.tenant.environmentId],
    );
    await this.database.asOwner(
      `UPDATE lane_queue SET due_at = due_at - ${by}, lease_until = lease_until - ${by} WHERE environment_id = $1`,
      [this.tenant.environmentId],
    );
  }
}
