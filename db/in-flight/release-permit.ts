import { GRANT_LEASE_MS, type Granted, type InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface ReleasedPermit {
  kind: InFlightKind;
  holder: string;
  /** How many calls of this kind the workspace may have in flight. */
  most: number;
}

/**
 * Releases a permit, or the position in the queue for one, in the transaction that records the end of its call. The permit goes to the
 * next holder in the workspace's queue, which is returned, to be told after the commit; null if nobody waits, or none became free.
 * Idempotent.
 */
export async function releasePermit(
  tx: EnvironmentTransaction,
  { kind, holder, most }: ReleasedPermit,
): Promise<Granted | null> {
  const { rows } = await tx.raw<{ rows: Granted[] }>(
    `SELECT to_workspace AS "workspaceId", to_environment AS "environmentId", to_holder AS holder
     FROM release_permit(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0))`,
    { kind, holder, most, leaseMs: GRANT_LEASE_MS },
  );
  return rows[0] ?? null;
}
