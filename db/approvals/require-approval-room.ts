import { PENDING_FREE_STANDING_MAX } from '../../domain/approvals/limits.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Throws QUOTA_EXCEEDED where the environment has its maximum of pending free-standing approvals. Other counters wait until this
 * transaction ends, so call it right before the approval is opened.
 */
export async function requireApprovalRoom(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('approvals/' || current_environment_id(), 0))");
  const { rows } = await tx.raw<{ rows: { pending: number }[] }>(
    `SELECT count(*)::int AS pending FROM (SELECT FROM approvals WHERE environment_id = current_environment_id()
       AND kind = 'free_standing' AND status = 'pending' LIMIT ${PENDING_FREE_STANDING_MAX}) counted`,
  );
  if ((rows[0]?.pending ?? 0) < PENDING_FREE_STANDING_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment has at most ${PENDING_FREE_STANDING_MAX} free-standing approvals that are pending. Decide or cancel some, or wait until they expire.`,
  });
}
