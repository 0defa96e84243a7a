import type { Logger } from 'pino';
import { type Repeated, repeatUntilStopped } from '../activities/repeat-until-stopped.ts';
import type { Database } from '../db/client.ts';
import { lookAtEpoch, openEpoch } from '../db/epochs/epochs.ts';
import { newEpochOf, type SeenEpoch } from '../domain/epochs/recovery.ts';

const INTERVAL_MS = 5_000;
/** A pool that grows opens many connections at once. */
const LOOK_AGAIN_MS_MIN = 1_000;

export interface EpochWatchOptions {
  requireSyncStandby: boolean;
  logger: Logger;
  intervalMs?: number;
}

/**
 * Looks at the epoch of the database once, and begins a new one. Await it before the process does any work. `before`: what it saw last.
 * Throws where the database does not answer, or is a standby.
 */
export async function beginEpoch(
  db: Pick<Database, 'directory'>,
  { requireSyncStandby, logger }: EpochWatchOptions,
  before: SeenEpoch | null = null,
): Promise<SeenEpoch> {
  const seen = await lookAtEpoch(db);
  const next = newEpochOf(seen, before, requireSyncStandby);
  if (next !== null) {
    const recovery = await openEpoch(db, next.asked, next.nothingLost);
    const { systemIdentifier, timeline } = seen;
    const was = before === null ? null : { timeline: before.timeline, systemIdentifier: before.systemIdentifier };
    if (recovery !== null)
      logger.warn({ recovery, timeline, systemIdentifier, was }, 'the database failed over or was restored');
  }
  if (requireSyncStandby && !seen.isSynchronous && before?.isSynchronous !== false)
    logger.error('commits wait for no standby, and REQUIRE_SYNC_STANDBY is 1: nothing is sent');
  return seen;
}

/**
 * Does so at once, each five seconds, and when the pool has connected again (docs/ha.md). What keeps a lost claim from being claimed again
 * does not wait for it: `is_recovered` is asked by the statement that claims. Throws where the first look fails. `stop` ends it.
 */
export async function watchEpoch(db: Database, options: EpochWatchOptions): Promise<Repeated> {
  const { logger, intervalMs = INTERVAL_MS } = options;
  let before: SeenEpoch | null = null;
  let lookedAtMs = -Infinity;
  const look = async (): Promise<void> => {
    lookedAtMs = performance.now();
    before = await beginEpoch(db, options, before);
  };
  const failed = (error: unknown): void =>
    logger.warn({ err: error }, 'could not look at the epoch of the database: trying again');
  await look();
  const forget = db.onConnect(() => {
    if (performance.now() - lookedAtMs > LOOK_AGAIN_MS_MIN) look().catch(failed);
  });
  const repeated = repeatUntilStopped(look, { intervalMs, failed });
  return {
    stop: async () => {
      forget();
      await repeated.stop();
    },
  };
}
