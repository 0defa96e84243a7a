import type { EnvironmentTransaction } from '../../db/client.ts';
import { getKey } from '../../db/flow-control/get-key.ts';
import { grantWaiting } from '../../db/flow-control/grant-waiting.ts';
import { lockKey } from '../../db/flow-control/lock-key.ts';
import type { FlowControlKeyRecord } from '../../db/flow-control/records.ts';
import { type KeyChange, updateKey } from '../../db/flow-control/update-key.ts';
import type { Grant } from '../../domain/flow-control/flow-control.ts';
import { notFound } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Audit, AuditEntry } from '../http/route-forms.ts';

export interface ChangedKey {
  record: FlowControlKeyRecord;
  audit: Audit;
  /** What the change lets through, to be started after the commit. */
  grant: Grant;
}

/**
 * Changes a key under its lock and grants what the change lets through. `changeOf` gets the key as it is, and answers what is to
 * change; `action` names the audit entry.
 */
export async function changeKey(
  tx: EnvironmentTransaction,
  keyId: string,
  action: AuditEntry['action'],
  changeOf: (before: FlowControlKeyRecord) => KeyChange,
): Promise<ChangedKey> {
  const before = await lockKey(tx, keyId);
  if (before === null) throw notFound('flow-control key');
  await updateKey(tx, keyId, changeOf(before));
  const grant = await grantWaiting(tx, keyId);
  const record = await getKey(tx, keyId);
  if (record === null) throw new Error(`flow-control key ${keyId} was locked and is gone`);
  const details = { ...changeable(record), before: changeable(before) };
  return { record, grant, audit: { action, target: { type: 'flow_control_key', id: keyId }, details } };
}

export function changeable(record: FlowControlKeyRecord): JsonObject {
  const { key, rate, periodSeconds, parallelism, ratePinned, parallelismPinned, pausedAt } = record;
  const pinned = { rate: ratePinned, parallelism: parallelismPinned };
  return { key, rate, periodSeconds, parallelism, pinned, paused: pausedAt !== null };
}
