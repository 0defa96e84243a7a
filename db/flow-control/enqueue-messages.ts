import type { EnvironmentTransaction } from '../client.ts';

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
