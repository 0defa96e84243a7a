import { ServiceError } from '../../domain/errors.ts';
import { IDLE_KEY_SECONDS, KEYS_PER_ENVIRONMENT_MAX, type Limits } from '../../domain/flow-control/flow-control.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conflictWhereTaken } from '../names.ts';
import { type FlowControlKeyRecord, getKey } from './keys.ts';

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
async function requireRoom(tx: EnvironmentTransaction, newKeys: number, namedIds: readonly string[]): Promise<void> {
  if (newKeys === 0) return;
  if (newKeys <= FEW_KEYS && (await countKeys(tx)) <= COUNTED_ALONE_FROM) return;
  // Serialized: two publishes that counted at the same time would both miss the other's keys.
  await tx.raw(
    'flow_control_require_room',
    "SELECT pg_advisory_xact_lock(hashtextextended('flow-control-keys/' || current_environment_id(), 0))",
  );
  const tooMany = (await countKeys(tx)) + newKeys - KEYS_PER_ENVIRONMENT_MAX;
  if (tooMany <= 0 || (await deleteIdleKeys(tx, tooMany, namedIds)) >= tooMany) return;
  throw new NoRoomForKeysError();
}

async function countKeys(tx: EnvironmentTransaction): Promise<number> {
  const { rows } = await tx.raw<{ rows: { keys: number }[] }>(
    'count_keys',
    'SELECT count(*)::int AS keys FROM lanes WHERE environment_id = current_environment_id()',
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
    'delete_idle_keys',
    `SELECT f.id FROM lanes f
     WHERE f.environment_id = current_environment_id() AND f.rate IS NULL AND f.parallelism IS NULL AND NOT f.rate_pinned AND NOT f.parallelism_pinned
       AND f.paused_at IS NULL AND COALESCE(f.held_until < now(), true) AND f.updated_at < now() - make_interval(secs => :idleSeconds)
       AND f.id <> ALL(CAST(:namedIds AS text[])) AND NOT EXISTS (SELECT FROM lane_queue q WHERE q.lane_id = f.id)
     ORDER BY f.updated_at LIMIT :most FOR UPDATE SKIP LOCKED`,
    { idleSeconds: IDLE_KEY_SECONDS, most, namedIds },
  );
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'delete_idle_keys_2',
    `DELETE FROM lanes f WHERE f.id = ANY(CAST(:ids AS text[]))
       AND NOT EXISTS (SELECT FROM lane_queue q WHERE q.lane_id = f.id)
     RETURNING f.id`,
    { ids: idle.map(({ id }) => id) },
  );
  return rows.length;
}

/** A key as a message names it, with the limits that it brings. */
export interface WantedKey {
  key: string;
  limits: Limits;
}

type Found = Pick<
  FlowControlKeyRecord,
  'id' | 'key' | 'rate' | 'periodSeconds' | 'parallelism' | 'ratePinned' | 'parallelismPinned'
>;

/**
 * The ids of the keys that messages name, by key. Creates those that are missing and gives the others the limits that the messages
 * bring, unless those are pinned; of several messages the last one counts. The keys are held against deletion until the commit. A
 * key whose limits stay is only read, so that its publishers do not wait for each other. Throws QUOTA_EXCEEDED where the environment
 * has as many keys as it may.
 */
export async function ensureKeys(
  tx: EnvironmentTransaction,
  wanted: readonly WantedKey[],
): Promise<ReadonlyMap<string, string>> {
  const limits = new Map<string, Limits>();
  for (const { key, limits: brought } of wanted) limits.set(key, merged(limits.get(key), brought));
  if (limits.size === 0) return new Map();
  const { rows } = await tx.raw<{ rows: Found[] }>(
    'ensure_keys',
    `SELECT id, key, rate, period_seconds AS "periodSeconds", parallelism, rate_pinned AS "ratePinned",
       parallelism_pinned AS "parallelismPinned"
     FROM lanes WHERE environment_id = current_environment_id() AND key = ANY(CAST(:keys AS text[])) FOR KEY SHARE`,
    { keys: [...limits.keys()] },
  );
  const ids = new Map(rows.map(({ id, key }) => [key, id]));
  const found = new Map(rows.map((row) => [row.key, row]));
  const written = [...limits].filter(([key, brought]) => changes(found.get(key), brought));
  await requireRoom(tx, written.filter(([key]) => !found.has(key)).length, [...ids.values()]);
  for (const { id, key } of await write(tx, written)) ids.set(key, id);
  return ids;
}

function merged(earlier: Limits | undefined, later: Limits): Limits {
  return {
    rate: later.rate === undefined ? earlier?.rate : later.rate,
    parallelism: later.parallelism === undefined ? earlier?.parallelism : later.parallelism,
  };
}

function changes(found: Found | undefined, { rate, parallelism }: Limits): boolean {
  if (found === undefined) return true;
  const changesRate =
    rate !== undefined &&
    !found.ratePinned &&
    (found.rate !== (rate?.rate ?? null) || found.periodSeconds !== (rate?.periodSeconds ?? null));
  return changesRate || (parallelism !== undefined && !found.parallelismPinned && found.parallelism !== parallelism);
}

/** In the order of the keys, so that two batches never wait for each other. The pins are read again under the row's lock. */
async function write(
  tx: EnvironmentTransaction,
  written: readonly (readonly [string, Limits])[],
): Promise<{ id: string; key: string }[]> {
  if (written.length === 0) return [];
  const brought = written.map(([key, { rate, parallelism }]) => ({
    id: newId('flowControlKey'),
    key,
    brings_rate: rate !== undefined,
    rate: rate?.rate ?? null,
    period_seconds: rate?.periodSeconds ?? null,
    brings_parallelism: parallelism !== undefined,
    parallelism: parallelism ?? null,
  }));
  const { rows } = await tx.raw<{ rows: { id: string; key: string }[] }>('flow_control_write', UPSERT, {
    brought: JSON.stringify(brought),
  });
  return rows;
}

/** A statement may not tell by EXCLUDED which members a message brought: it looks them up again by the key. */
const UPSERT = `WITH brought AS MATERIALIZED (
    SELECT * FROM json_to_recordset(CAST(:brought AS json)) AS b (id text, key text, brings_rate boolean, rate integer,
      period_seconds integer, brings_parallelism boolean, parallelism integer))
  INSERT INTO lanes AS f (id, environment_id, key, rate, period_seconds, parallelism)
  SELECT b.id, current_environment_id(), b.key, b.rate, b.period_seconds, b.parallelism FROM brought b ORDER BY b.key
  ON CONFLICT ON CONSTRAINT lanes_name DO UPDATE SET
    rate = CASE WHEN NOT f.rate_pinned AND (SELECT b.brings_rate FROM brought b WHERE b.key = f.key)
      THEN EXCLUDED.rate ELSE f.rate END,
    period_seconds = CASE WHEN NOT f.rate_pinned AND (SELECT b.brings_rate FROM brought b WHERE b.key = f.key)
      THEN EXCLUDED.period_seconds ELSE f.period_seconds END,
    parallelism = CASE WHEN NOT f.parallelism_pinned AND (SELECT b.brings_parallelism FROM brought b WHERE b.key = f.key)
      THEN EXCLUDED.parallelism ELSE f.parallelism END,
    updated_at = now()
  RETURNING f.id, f.key`;

/** Creates a key and returns its id. Throws CONFLICT where the environment has it already, QUOTA_EXCEEDED where it has as many as it may. */
export async function createKey(
  tx: EnvironmentTransaction,
  key: string,
  { rate, parallelism }: Limits,
): Promise<string> {
  await requireRoom(tx, 1, []);
  const id = newId('flowControlKey');
  await tx
    .raw(
      'create_key',
      `INSERT INTO lanes (id, environment_id, key, rate, period_seconds, parallelism)
       VALUES (:id, current_environment_id(), :key, :rate, :periodSeconds, :parallelism)`,
      {
        id,
        key,
        rate: rate?.rate ?? null,
        periodSeconds: rate?.periodSeconds ?? null,
        parallelism: parallelism ?? null,
      },
    )
    .catch(
      conflictWhereTaken(
        'lanes_name',
        `The flow-control key "${key}" exists in this environment. Change that one, or choose another key.`,
      ),
    );
  return id;
}

/** Locks a key until the commit, as every claim of its messages does, and reads it. Null where there is none. */
export async function lockKey(tx: EnvironmentTransaction, keyId: string): Promise<FlowControlKeyRecord | null> {
  await tx.raw('lock_key', 'SELECT FROM lanes WHERE id = ? FOR NO KEY UPDATE', [keyId]);
  return getKey(tx, keyId);
}

/** What may change of a key. What is left out stays as it is. */
export interface KeyChange {
  rate?: { rate: number; periodSeconds: number } | null | undefined;
  parallelism?: number | null | undefined;
  ratePinned?: boolean | undefined;
  parallelismPinned?: boolean | undefined;
  paused?: boolean | undefined;
  /** A new window begins, with nothing counted. */
  resetsWindow?: boolean | undefined;
}

/** Changes a key. The caller holds its lock. */
export async function updateKey(tx: EnvironmentTransaction, keyId: string, change: KeyChange): Promise<void> {
  const { rate, parallelism } = change;
  await tx.raw(
    'update_key',
    `UPDATE lanes SET rate = CASE WHEN :setsRate THEN :rate ELSE rate END,
       period_seconds = CASE WHEN :setsRate THEN :periodSeconds ELSE period_seconds END,
       parallelism = CASE WHEN :setsParallelism THEN :parallelism ELSE parallelism END,
       rate_pinned = COALESCE(:ratePinned, rate_pinned), parallelism_pinned = COALESCE(:parallelismPinned, parallelism_pinned),
       paused_at = CASE WHEN :paused THEN COALESCE(paused_at, now()) WHEN NOT :paused THEN NULL ELSE paused_at END,
       held_until = CASE WHEN NOT :paused THEN NULL ELSE held_until END,
       window_started_at = CASE WHEN :resetsWindow THEN NULL ELSE window_started_at END,
       window_count = CASE WHEN :resetsWindow THEN 0 ELSE window_count END, updated_at = now()
     WHERE id = :keyId`,
    {
      keyId,
      setsRate: rate !== undefined,
      rate: rate?.rate ?? null,
      periodSeconds: rate?.periodSeconds ?? null,
      setsParallelism: parallelism !== undefined,
      parallelism: parallelism ?? null,
      ratePinned: change.ratePinned ?? null,
      parallelismPinned: change.parallelismPinned ?? null,
      paused: change.paused ?? null,
      resetsWindow: change.resetsWindow === true,
    },
  );
}

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Deletes a key. Throws CONFLICT where messages of it wait or are in flight, also where a publish that commits now brings the first
 * one: the foreign key decides. Ended messages keep its name.
 */
export async function deleteKey(tx: EnvironmentTransaction, keyId: string): Promise<void> {
  await tx.raw('delete_key', 'DELETE FROM lanes WHERE id = ?', [keyId]).catch((error: unknown) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code !== FOREIGN_KEY_VIOLATION || facts.constraint !== 'lane_queue_lane') throw error;
    const message =
      `Flow-control key ${keyId} has messages that wait or are in flight. Let them end, or cancel them, then delete it. ` +
      'Its pause holds them meanwhile.';
    throw new ServiceError('CONFLICT', { message, cause: error });
  });
}
