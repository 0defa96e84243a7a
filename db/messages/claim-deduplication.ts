import { DEDUPLICATION_WINDOW_MINUTES, type MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';

export type DeduplicationClaim =
  { fresh: true } | { fresh: false; earlier: { messageId: string; status: MessageStatus | null } };

/**
 * Takes the deduplication window of a digest for a message that this transaction is about to insert, or returns the message that
 * holds it. Among concurrent claims one is fresh; the others wait for its transaction. The status is null where the earlier
 * message belongs to this same transaction.
 */
export async function claimDeduplication(
  tx: EnvironmentTransaction,
  digest: Buffer,
  messageId: string,
): Promise<DeduplicationClaim> {
  const claimed = await tx.raw<{ rows: unknown[] }>(
    `INSERT INTO message_deduplications AS d (environment_id, digest, message_id, expires_at)
     VALUES (current_environment_id(), :digest, :messageId, clock_timestamp() + make_interval(mins => :minutes))
     ON CONFLICT (environment_id, digest) DO UPDATE SET message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at
       WHERE d.expires_at <= clock_timestamp()
     RETURNING digest`,
    { digest, messageId, minutes: DEDUPLICATION_WINDOW_MINUTES },
  );
  if (claimed.rows.length > 0) return { fresh: true };
  const { rows } = await tx.raw<{ rows: { messageId: string; status: MessageStatus | null }[] }>(
    `SELECT d.message_id AS "messageId", m.status FROM message_deduplications d LEFT JOIN messages m ON m.id = d.message_id
     WHERE d.environment_id = current_environment_id() AND d.digest = ?`,
    [digest],
  );
  const earlier = rows[0];
  if (earlier === undefined) throw new Error('a deduplication window vanished under its lock');
  return { fresh: false, earlier };
}
