import { afterFailure, type FailureClock } from '../../domain/events/failure-clock.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The end of a delivery, as its subscription's clock sees it. */
export interface EndedDelivery {
  subscriptionId: string;
  /** Where it went. One that went elsewhere than the subscription points now says nothing of it. */
  url: string;
}

/** A delivery succeeded: whatever failed before it no longer counts. Writes nothing where none failed, which is the common case. */
export async function resetFailureClock(
  tx: EnvironmentTransaction,
  { subscriptionId, url }: EndedDelivery,
): Promise<void> {
  await tx.raw(
    `UPDATE event_subscriptions SET failing_since = NULL, last_failure_at = NULL, clock_runs = false
     WHERE id = :subscriptionId AND url = :url AND failing_since IS NOT NULL AND disabled_at IS NULL`,
    { subscriptionId, url },
  );
}

interface ClockRow {
  now: Date;
  failingSince: Date | null;
  lastFailureAt: Date | null;
  clockRuns: boolean;
}

/**
 * Records that a delivery failed for good, and disables the subscription once all have failed for five days
 * (domain/events/failure-clock.ts); a trigger then raises `subscription.disabled`. Answers since when they failed if this call disabled
 * it, and null otherwise. It locks the subscription's row until the commit, so it comes after every other lock of its transaction but the
 * one of the audit log.
 */
export async function noteFailedDelivery(
  tx: EnvironmentTransaction,
  { subscriptionId, url }: EndedDelivery,
): Promise<{ failingSince: Date } | null> {
  const { rows } = await tx.raw<{ rows: ClockRow[] }>(
    `SELECT now() AS now, failing_since AS "failingSince", last_failure_at AS "lastFailureAt", clock_runs AS "clockRuns"
     FROM event_subscriptions WHERE id = :subscriptionId AND url = :url AND enabled AND deleted_at IS NULL FOR NO KEY UPDATE`,
    { subscriptionId, url },
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { clock, disables } = afterFailure(clockOf(row), row.now);
  await tx.raw(
    `UPDATE event_subscriptions SET failing_since = :failingSince, last_failure_at = :lastFailureAt, clock_runs = :clockRuns,
       enabled = NOT :disables, disabled_at = CASE WHEN :disables THEN now() END,
       updated_at = CASE WHEN :disables THEN now() ELSE updated_at END
     WHERE id = :subscriptionId`,
    { ...clock, disables, subscriptionId },
  );
  return disables ? { failingSince: clock.failingSince } : null;
}

function clockOf({ failingSince, lastFailureAt, clockRuns }: ClockRow): FailureClock | null {
  return failingSince === null || lastFailureAt === null ? null : { failingSince, lastFailureAt, clockRuns };
}
