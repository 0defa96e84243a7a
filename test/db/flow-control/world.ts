import type { Tenant } from '../../../db/client.ts';
import { claimCall, enqueueMessages, grantWaiting, type Release, releaseSlot } from '../../../db/flow-control/queue.ts';
import { createKey, type KeyChange, lockKey, updateKey } from '../../../db/flow-control/changes.ts';
import { type FlowControlKeyRecord, getKey } from '../../../db/flow-control/keys.ts';
import type { Grant, GRANTS_AT_ONCE } from '../../../domain/flow-control/flow-control.ts';
import { newId } from '../../../domain/ids.ts';
import type { TestDatabase } from '../../harness/database.ts';

export interface KeyLimits {
  rate?: number;
  periodSeconds?: number;
  parallelism?: number;
}

let keys = 0;

/** One key of a test, and what publishers, deliveries and its pacer do with it: each call is a transaction. */
export class KeyWorld {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  readonly id: string;

  private constructor(database: TestDatabase, id: string) {
    this.database = database;
    this.tenant = database.tenant;
    this.id = id;
  }

  static async of(database: TestDatabase, { rate, periodSeconds = 60, parallelism }: KeyLimits): Promise<KeyWorld> {
    const limits = { rate: rate === undefined ? null : { rate, periodSeconds }, parallelism: parallelism ?? null };
    const key = `key-${keys++}`;
    const id = await database.db.withEnvironment(database.tenant, (tx) => createKey(tx, key, limits));
    return new KeyWorld(database, id);
  }

  /** Queues new messages, as one publish does, and returns their ids in order. */
  async publish(count: number, dueAt: Date | null = null): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId('message'));
    const queued = ids.map((messageId) => ({ messageId, keyId: this.id, dueAt }));
    await this.database.db.withEnvironment(this.tenant, (tx) => enqueueMessages(tx, queued));
    return ids;
  }

  grant(by: keyof typeof GRANTS_AT_ONCE = 'finish'): Promise<Grant> {
    return this.database.db.oneStatement(this.tenant, (tx) => grantWaiting(tx, this.id, by));
  }

  claim(messageId: string, leaseMs = 60_000): Promise<boolean> {
    return this.database.db.withEnvironment(this.tenant, (tx) => claimCall(tx, messageId, leaseMs));
  }

  release(messageId: string, release: Release = { how: 'ended' }): Promise<Grant | null> {
    return this.database.db.withEnvironment(this.tenant, (tx) => releaseSlot(tx, messageId, release));
  }

  change(change: KeyChange): Promise<Grant> {
    return this.database.db.withEnvironment(this.tenant, async (tx) => {
      await lockKey(tx, this.id);
      await updateKey(tx, this.id, change);
      return grantWaiting(tx, this.id);
    });
  }

  async read(): Promise<FlowControlKeyRecord> {
    const record = await this.database.db.withEnvironment(this.tenant, (tx) => getKey(tx, this.id));
    if (record === null) throw new Error('the key of this test is gone');
    return record;
  }

  /** Moves the window, and with it everything that time decides, into the past. */
  async letTimePass(seconds: number): Promise<void> {
    const by = `make_interval(secs => ${seconds})`;
    await this.database.asOwner(
      `UPDATE flow_control_keys SET window_started_at = window_started_at - ${by}, held_until = held_until - ${by},
         next_grant_at = next_grant_at - ${by} WHERE id = $1`,
      [this.id],
    );
    await this.database.asOwner(
      `UPDATE flow_control_queue SET due_at = due_at - ${by}, granted_at = granted_at - ${by}, dispatched_at = dispatched_at - ${by},
         lease_until = lease_until - ${by} WHERE key_id = $1`,
      [this.id],
    );
  }
}
