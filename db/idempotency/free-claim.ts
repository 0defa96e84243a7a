import type { EnvironmentTransaction } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';

/** Frees the key after a failed request and notifies the duplicates that wait; one of them takes the key. */
export async function freeClaim(tx: EnvironmentTransaction, claim: { key: string; holder: string }): Promise<void> {
  await tx.raw(
    `WITH freed AS (
       DELETE FROM idempotency_claims WHERE key = :key AND holder = :holder AND state = 'in_progress'
       RETURNING environment_id, key, awaited
     )
     SELECT CASE WHEN awaited THEN pg_notify(:channel, environment_id || '/' || encode(sha256(convert_to(key, 'UTF8')), 'hex')) END
     FROM freed`,
    { ...claim, channel: CHANNELS.idempotencyCompleted },
  );
}
