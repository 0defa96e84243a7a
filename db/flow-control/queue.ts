import { type Grant, GRANTS_AT_ONCE, PARALLELISM_MAX, SLOT_LEASE_MS } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Messages by what starts them: a grant of their key, or the process that accepted them. */
export interface SplitMessages {
  /** The keys of those that have one. */
  keyIds: string[];
  unkeyedIds: string[];
  /** Those that are due later, and have no workflow unless `paceMessages` says so. */
  pacedIds: string[];
}

/** Splits messages, in the order of their ids. Those that are kept no longer are left out. */
export async function splitByKey(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<SplitMessages> {
  if (messageIds.length === 0) return { keyIds: [], unkeyedIds: [], pacedIds: [] };
  const { rows } = await tx.raw<{ rows: SplitMessages[] }>(
    'split_by_key',
    `SELECT COALESCE(array_agg(DISTINCT flow_control_key_id) FILTER (WHERE flow_control_key_id IS NOT NULL), '{}') AS "keyIds",
       COALESCE(array_agg(id ORDER BY id) FILTER (WHERE flow_control_key_id IS NULL AND NOT paced), '{}') AS "unkeyedIds",
       COALESCE(array_agg(id ORDER BY id) FILTER (WHERE paced), '{}') AS "pacedIds"
     FROM messages WHERE id = ANY(?)`,
    [messageIds],
  );
  const [split] = rows;
  if (split === undefined) throw new Error('an aggregate answers one row');
  return split;
}

/** A message of a key, as its publish transaction puts it into the queue. */
export interface QueuedMessage {
  messageId: string;
  keyId: string;
  /** Null, or past: now. */
  dueAt: Date | null;
}

/** Puts new messages into the queues of their keys. They wait until a grant that begins after the commit. */
export async function enqueueMessages(tx: EnvironmentTransaction, queued: readonly QueuedMessage[]): Promise<void> {
  if (queued.length === 0) return;
  await tx.raw(
    'enqueue_messages',
    `INSERT INTO flow_control_queue (message_id, environment_id, key_id, due_at)
     SELECT q.message_id, current_environment_id(), q.key_id, GREATEST(q.due_at, now())
     FROM json_to_recordset(CAST(:queued AS json)) AS q (message_id text, key_id text, due_at timestamptz)`,
    {
      queued: JSON.stringify(
        queued.map(({ messageId, keyId, dueAt }) => ({ message_id: messageId, key_id: keyId, due_at: dueAt })),
      ),
    },
  );
}

/** A grant as the functions of the database answer it. */
interface GrantRow {
  granted: string[];
  paces: boolean;
  nextInMs: number | null;
}

/**
 * Grants the messages that a key may send now, in order. It waits for the key's lock, and holds it until the commit: two grants at once
 * would both see the last free slot, and a look without the lock could miss the slot that another transaction is releasing. `by` is the
 * process that starts the granted messages. Only the pacer postpones or clears the time of the next look.
 */
export async function grantWaiting(
  tx: EnvironmentTransaction,
  keyId: string,
  by: keyof typeof GRANTS_AT_ONCE = 'finish',
): Promise<Grant> {
  const { rows } = await tx.raw<{ rows: GrantRow[] }>(
    'grant_waiting',
    `SELECT granted, paces, next_in_ms AS "nextInMs"
     FROM grant_flow_control(:keyId, :most, :inFlightMax, :leaseMs * interval '1 millisecond', :isPacer)`,
    { keyId, most: GRANTS_AT_ONCE[by], inFlightMax: PARALLELISM_MAX, leaseMs: SLOT_LEASE_MS, isPacer: by === 'pacer' },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a grant answers one row');
  const { granted: messageIds, paces, nextInMs } = row;
  return { keyId, messageIds, paces, nextInMs };
}

/** Whether a message is granted: false while it waits, and where it is in no queue. */
export async function isGranted(tx: EnvironmentTransaction, messageId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'is_granted',
    'SELECT FROM flow_control_queue WHERE message_id = ? AND granted_at IS NOT NULL',
    [messageId],
  );
  return rows.length > 0;
}

/**
 * Claims the call of a granted message, which counts from now on; call it in the transaction that starts the attempt. False: it
 * is not to be sent now, and is to be returned to its queue.
 */
export async function claimCall(tx: EnvironmentTransaction, messageId: string, leaseMs: number): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { claimed: boolean }[] }>(
    'claim_call',
    `SELECT claim_flow_control(?, ? * interval '1 millisecond') AS claimed`,
    [messageId, leaseMs],
  );
  return rows[0]?.claimed === true;
}

/** Keeps the slot of a granted message that waits for a permit of its workspace. */
export async function keepSlot(tx: EnvironmentTransaction, messageId: string, leaseMs: number): Promise<void> {
  await tx.raw(
    'keep_slot',
    `UPDATE flow_control_queue SET lease_until = GREATEST(lease_until, clock_timestamp() + ? * interval '1 millisecond')
     WHERE message_id = ? AND granted_at IS NOT NULL AND dispatched_at IS NULL`,
    [leaseMs, messageId],
  );
}

/** Why a message gives back what it holds of its key. */
export type Release =
  /** It was delivered, failed or cancelled: it leaves the queue. */
  | { how: 'ended'; holdMs?: number }
  /** It waits for its next attempt. */
  | { how: 'retried'; againInMs: number; holdMs?: number }
  /** Nothing was sent: it waits again where it was. */
  | { how: 'returned' };

/**
 * Releases what a message holds of its flow-control key and grants the next ones, in the transaction that records why. `holdMs`:
 * the destination asked that the key sends nothing for so long. Null where the message is in no queue. Idempotent.
 */
export async function releaseSlot(
  tx: EnvironmentTransaction,
  messageId: string,
  release: Release,
): Promise<Grant | null> {
  const { rows } = await tx.raw<{ rows: (GrantRow & { keyId: string })[] }>(
    'release_slot',
    `SELECT key_id AS "keyId", granted, paces, next_in_ms AS "nextInMs"
     FROM release_flow_control(:messageId, :how, :againInMs * interval '1 millisecond', :holdMs * interval '1 millisecond', :most,
       :inFlightMax, :leaseMs * interval '1 millisecond')`,
    {
      messageId,
      how: release.how,
      againInMs: release.how === 'retried' ? release.againInMs : null,
      holdMs: release.how === 'returned' ? null : (release.holdMs ?? null),
      most: GRANTS_AT_ONCE.finish,
      inFlightMax: PARALLELISM_MAX,
      leaseMs: SLOT_LEASE_MS,
    },
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { keyId, granted: messageIds, paces, nextInMs } = row;
  return { keyId, messageIds, paces, nextInMs };
}
