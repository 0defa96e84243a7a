import type { EnvironmentTransaction } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';
import { IDEMPOTENCY_RETENTION_HOURS } from './claim-key.ts';

export interface CompletedClaim {
  key: string;
  holder: string;
  /** Always 2xx: other replies are not stored. */
  status: number;
  /** The bytes of the reply, exactly. */
  body: string;
}

/** Stores the reply, and notifies a duplicate that waits. Returns false where the claim was taken over meanwhile. */
export async function completeClaim(tx: EnvironmentTransaction, claim: CompletedClaim): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `WITH done AS (
       UPDATE idempotency_claims
       SET state = 'completed', response_status = :status, response_body = :body,
           expires_at = clock_timestamp() + :retentionHours * interval '1 hour'
       WHERE key = :key AND holder = :holder AND state = 'in_progress'
       RETURNING environment_id, key, awaited
     )
     SELECT CASE WHEN awaited THEN pg_notify(:channel, environment_id || '/' || encode(sha256(convert_to(key, 'UTF8')), 'hex')) END
     FROM done`,
    { ...claim, retentionHours: IDEMPOTENCY_RETENTION_HOURS, channel: CHANNELS.idempotencyCompleted },
  );
  return rows.length > 0;
}
