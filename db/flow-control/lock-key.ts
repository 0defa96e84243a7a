import type { EnvironmentTransaction } from '../client.ts';
import { getKey } from './get-key.ts';
import type { FlowControlKeyRecord } from './records.ts';

/** Locks a key until the commit, as every grant does, and reads it. Null where there is none. */
export async function lockKey(tx: EnvironmentTransaction, keyId: string): Promise<FlowControlKeyRecord | null> {
  await tx.raw('SELECT lock_flow_control_key(?)', [keyId]);
  return getKey(tx, keyId);
}
