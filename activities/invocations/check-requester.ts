import type { EnvironmentTransaction } from '../../db/client.ts';
import { lockCredentials } from '../../db/invocations/lock-credentials.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import type { Refusal } from '../../domain/lifecycle.ts';

/**
 * Whether who asked for an invocation may still be acted for. The credentials of who asked and of who agreed are locked until the transaction
 * ends, so that the answer holds until the mark is committed: a revocation that comes later comes after the dispatch.
 */
export async function checkRequester(tx: EnvironmentTransaction, work: InvocationWork): Promise<Refusal | null> {
  const standing = await lockCredentials(tx, work);
  if (standing === 'stands') return null;
  const { type, id } = work.requestedBy;
  if (standing === 'key_revoked') {
    return { code: 'requester_revoked', message: `key ${id ?? ''}, which asked for it, was revoked meanwhile` };
  }
  const who =
    type === 'api_key' ? `the member who made key ${id ?? ''}, which asked for it,` : 'the member who asked for it';
  return { code: 'requester_revoked', message: `${who} was removed from the workspace meanwhile` };
}
