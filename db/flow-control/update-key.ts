import type { EnvironmentTransaction } from '../client.ts';

/** What may change of a key. What is left out stays as it is. */
export interface KeyChange {
  rate?: { rate: number; periodSeconds: number } | null | undefined;
  parallelism?: number | null | undefined;
  ratePinned?: boolean | undefined;
  parallelismPinned?: boolean | undefined;
  paused?: boolean | undefined;
  /** The window begins anew, with nothing counted. */
  resetsWindow?: boolean | undefined;
}

/** Changes a key. The caller holds its lock, and grants afterwards. */
export async function updateKey(tx: EnvironmentTransaction, keyId: string, change: KeyChange): Promise<void> {
  const { rate, parallelism } = change;
  await tx.raw(
    `UPDATE flow_control_keys SET rate = CASE WHEN :setsRate THEN :rate ELSE rate END,
       period_seconds = CASE WHEN :setsRate THEN :periodSeconds ELSE period_seconds END,
       parallelism = CASE WHEN :setsParallelism THEN :parallelism ELSE parallelism END,
       rate_pinned = COALESCE(:ratePinned, rate_pinned), parallelism_pinned = COALESCE(:parallelismPinned, parallelism_pinned),
       paused_at = CASE WHEN :paused THEN COALESCE(paused_at, now()) WHEN NOT :paused THEN NULL ELSE paused_at END,
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
