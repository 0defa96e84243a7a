import type { EnvironmentTransaction } from '../client.ts';

/**
 * Longer than a replay's activity and its time in the queue can take. After this long its worker and its workflow are gone. It counts
 * from the claim where there is one: while no worker runs, a replay waits, and then begins at any time.
 */
const LOST_AFTER_SECONDS = 180;

/** Abandons a replay whose worker is gone, as its workflow would have done. A claimed replay may have been sent. */
export async function abandonLostReplays(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    `UPDATE attempts a SET status = 'abandoned', finished_at = now(),
       observed_outcome = CASE WHEN a.claimed_at IS NULL THEN 'not_dispatched' ELSE 'unknown' END,
       error = CASE WHEN a.claimed_at IS NULL THEN 'not sent: no worker took the replay up in time'
                    ELSE 'the worker was lost while the replay was under way' END
     FROM invocations i JOIN action_versions v ON v.id = i.version_id
     WHERE i.id = a.invocation_id AND a.invocation_id = :invocationId AND a.kind = 'replay' AND a.status = 'started'
       AND COALESCE(a.claimed_at, a.started_at) < now() - make_interval(secs => :lostAfterSeconds + (v.definition ->> 'timeoutMs')::double precision / 1000)`,
    { invocationId, lostAfterSeconds: LOST_AFTER_SECONDS },
  );
}
