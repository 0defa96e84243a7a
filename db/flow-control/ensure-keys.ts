import { newId } from '../../domain/ids.ts';
import type { Limits } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { requireRoom } from './require-room.ts';

/** A key as a message names it, with the limits that it brings. */
export interface WantedKey {
  key: string;
  limits: Limits;
}

interface Found {
  id: string;
  key: string;
  rate: number | null;
  periodSeconds: number | null;
  parallelism: number | null;
  ratePinned: boolean;
  parallelismPinned: boolean;
}

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
    `SELECT id, key, rate, period_seconds AS "periodSeconds", parallelism, rate_pinned AS "ratePinned",
       parallelism_pinned AS "parallelismPinned"
     FROM flow_control_keys WHERE environment_id = current_environment_id() AND key = ANY(CAST(:keys AS text[])) FOR KEY SHARE`,
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
  const { rows } = await tx.raw<{ rows: { id: string; key: string }[] }>(UPSERT, { brought: JSON.stringify(brought) });
  return rows;
}

/** A statement may not tell by EXCLUDED which members a message brought: it looks them up again by the key. */
const UPSERT = `WITH brought AS MATERIALIZED (
    SELECT * FROM json_to_recordset(CAST(:brought AS json)) AS b (id text, key text, brings_rate boolean, rate integer,
      period_seconds integer, brings_parallelism boolean, parallelism integer))
  INSERT INTO flow_control_keys AS f (id, environment_id, key, rate, period_seconds, parallelism)
  SELECT b.id, current_environment_id(), b.key, b.rate, b.period_seconds, b.parallelism FROM brought b ORDER BY b.key
  ON CONFLICT ON CONSTRAINT flow_control_keys_name DO UPDATE SET
    rate = CASE WHEN NOT f.rate_pinned AND (SELECT b.brings_rate FROM brought b WHERE b.key = f.key)
      THEN EXCLUDED.rate ELSE f.rate END,
    period_seconds = CASE WHEN NOT f.rate_pinned AND (SELECT b.brings_rate FROM brought b WHERE b.key = f.key)
      THEN EXCLUDED.period_seconds ELSE f.period_seconds END,
    parallelism = CASE WHEN NOT f.parallelism_pinned AND (SELECT b.brings_parallelism FROM brought b WHERE b.key = f.key)
      THEN EXCLUDED.parallelism ELSE f.parallelism END,
    updated_at = now()
  RETURNING f.id, f.key`;
