import type { EnvironmentTransaction } from '../../db/client.ts';
import { type FlowControlKeyRecord, getKey } from '../../db/flow-control/keys.ts';
import { lanesAreReady } from '../../db/announcements/lanes-ready.ts';
import { type KeyChange, lockKey, updateKey } from '../../db/flow-control/changes.ts';
import { existing } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Audit, AuditEntry } from '../http/route-forms.ts';

export interface ChangedKey {
  record: FlowControlKeyRecord;
  audit: Audit;
}

/** Changes a key under its lock. The claimers look at what it lets through. `action` names the audit entry. */
export async function changeKey(
  tx: EnvironmentTransaction,
  keyId: string,
  action: AuditEntry['action'],
  change: KeyChange,
): Promise<ChangedKey> {
  const before = existing(await lockKey(tx, keyId), 'flow-control key');
  const isChanged = changesSomething(before, change);
  if (isChanged) await updateKey(tx, keyId, change);
  lanesAreReady(tx);
  const record = await getKey(tx, keyId);
  if (record === null) throw new Error(`flow-control key ${keyId} was locked and is gone`);
  if (!isChanged) return { record, audit: 'none: the flow-control key was so already' };
  const details = { ...changeable(record), before: changeable(before) };
  return { record, audit: { action, target: { type: 'flow_control_key', id: keyId }, details } };
}

function changesSomething(key: FlowControlKeyRecord, change: KeyChange): boolean {
  const { rate, parallelism, ratePinned, parallelismPinned, paused, resetsWindow = false } = change;
  const isPaused = key.pausedAt !== null;
  return (
    resetsWindow ||
    (rate !== undefined &&
      ((rate?.rate ?? null) !== key.rate || (rate?.periodSeconds ?? null) !== key.periodSeconds)) ||
    (parallelism !== undefined && parallelism !== key.parallelism) ||
    (ratePinned ?? key.ratePinned) !== key.ratePinned ||
    (parallelismPinned ?? key.parallelismPinned) !== key.parallelismPinned ||
    (paused ?? isPaused) !== isPaused ||
    (paused === false && key.heldUntil !== null)
  );
}

export function changeable(record: FlowControlKeyRecord): JsonObject {
  const { key, rate, periodSeconds, parallelism, ratePinned, parallelismPinned, pausedAt } = record;
  const pinned = { rate: ratePinned, parallelism: parallelismPinned };
  return { key, rate, periodSeconds, parallelism, pinned, paused: pausedAt !== null };
}
