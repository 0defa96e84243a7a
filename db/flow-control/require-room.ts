import { ServiceError } from '../../domain/errors.ts';
import { IDLE_KEY_SECONDS, KEYS_PER_ENVIRONMENT_MAX } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Far from the cap nobody who makes a few keys waits for others that make some at this moment. */
const COUNTED_ALONE_FROM = KEYS_PER_ENVIRONMENT_MAX / 2;
const FEW_KEYS = 10;

/** An environment that has its keys has room for messages of those: what is refused is this request, and not the next one. */
export class NoRoomForKeysError extends ServiceError {
  constructor() {
    super('QUOTA_EXCEEDED', {
      message: `An environment has at most ${KEYS_PER_ENVIRONMENT_MAX} flow-control keys. Delete those that are no longer needed, or publish with fewer keys.`,
    });
  }
}

/**
 * Makes room for new keys if the environment has the maximum number: it removes idle keys that hold nothing but their names. `namedIds`
 * are the ids of the keys that the same request names: these stay.
 *
 * @throws {NoRoomForKeysError} where that is not enough.
 */
export async function requireRoom(
  tx: EnvironmentTransaction,
  newKeys: number,
  namedIds: readonly string[],
): Promise<void> {
  if (newKeys === 0) return;
  if (newKeys <= FEW_KEYS && (await countKeys(tx)) <= COUNTED_ALONE_FROM) return;
  // Serialized: two publishes that counted at the same time would both miss the other's keys.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('flow-control-keys/' || current_environment_id(), 0))");
  const tooMany = (await countKeys(tx)) + newKeys - KEYS_PER_ENVIRONMENT_MAX;
  if (tooMany <= 0 || (await deleteIdleKeys(tx, tooMany, namedIds)) >= tooMany) return;
  throw new NoRoomForKeysError();
}

async function countKeys(tx: EnvironmentTransaction): Promise<number> {
  const { rows } = await tx.raw<{ rows: { keys: number }[] }>(
    'SELECT count(*)::int AS keys FROM flow_control_keys WHERE environment_id = current_environment_id()',
  );
  return rows[0]?.keys ?? 0;
}

/**
 * A publish holds the keys that it names (FOR KEY SHARE) until its commit, and others skip these keys. A transaction does not skip its own
 * locks, so the keys that it names itself are excluded by their ids. A second statement, after the locks, looks for messages in the queue of
 * a key: a publish that committed while the locks were taken is not visible to the statement that takes them.
 */
async function deleteIdleKeys(tx: EnvironmentTransaction, most: number, namedIds: readonly string[]): Promise<number> {
  const { rows: idle } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT f.id FROM flow_control_keys f
     WHERE f.environment_id = current_environment_id() AND f.rate IS NULL AND f.parallelism IS NULL AND NOT f.rate_pinned AND NOT f.parallelism_pinned
       AND f.paused_at IS NULL AND COALESCE(f.held_until < now(), true) AND f.updated_at < now() - make_interval(secs => :idleSeconds)
       AND f.id <> ALL(CAST(:namedIds AS text[])) AND NOT EXISTS (SELECT FROM flow_control_queue q WHERE q.key_id = f.id)
     ORDER BY f.updated_at LIMIT :most FOR UPDATE SKIP LOCKED`,
    { idleSeconds: IDLE_KEY_SECONDS, most, namedIds },
  );
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `DELETE FROM flow_control_keys f WHERE f.id = ANY(CAST(:ids AS text[]))
       AND NOT EXISTS (SELECT FROM flow_control_queue q WHERE q.key_id = f.id)
     RETURNING f.id`,
    { ids: idle.map(({ id }) => id) },
  );
  return rows.length;
}
