/** What a look at the database tells of its epoch (docs/ha.md). */
export interface SeenEpoch {
  /** The cluster's: another one after `initdb`, a dump and pg_upgrade. */
  systemIdentifier: string;
  /** Another one after a promotion, and after a restore to a point in time. */
  timeline: number;
  /** Bytes of the log that are on disk: on one timeline it only grows. */
  logPosition: bigint;
  /** Commits wait for a standby. */
  isSynchronous: boolean;
  /** A process has looked at this epoch before. */
  isKnown: boolean;
}

/** How an epoch is begun; null: the last one goes on. */
export type NewEpoch = { asked: 'log_position' | null; nothingLost: boolean } | null;

/**
 * Judges a look by the one before it; null at the start of a process.
 *
 * Nothing was lost where this process itself saw, up to the change, that commits waited for a standby, and the log goes on behind what it
 * saw. A process that remembers nothing cannot tell a failover from a restore: the restored rows say of both the same.
 */
export function newEpochOf(seen: SeenEpoch, before: SeenEpoch | null, requireSyncStandby: boolean): NewEpoch {
  const isSameCluster = before?.systemIdentifier === seen.systemIdentifier;
  const isBehind = isSameCluster && seen.logPosition < before.logPosition;
  if (!seen.isKnown) {
    const nothingLost = requireSyncStandby && isSameCluster && before.isSynchronous && !isBehind;
    return { asked: null, nothingLost };
  }
  // A copy of the disks, such as a snapshot, was put back: the epoch is that of the original.
  return isBehind && before.timeline === seen.timeline ? { asked: 'log_position', nothingLost: false } : null;
}
