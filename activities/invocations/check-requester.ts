import type { EnvironmentTransaction } from '../../db/client.ts';
import { lockCredentials, type RequesterStanding } from '../../db/invocations/lock-credentials.ts';
import type { ActorRecord, InvocationWork } from '../../db/invocations/records.ts';
import type { Refusal } from '../../domain/refusals.ts';

/**
 * Checks whether the requester of an invocation may still act. The credentials of the requester and the approvers are locked
 * until the transaction ends, so the answer holds until the mark is committed. The claim of the dispatch checks the requester once more.
 */
export async function checkRequester(tx: EnvironmentTransaction, work: InvocationWork): Promise<Refusal | null> {
  return requesterRefusal(await lockCredentials(tx, work), work.requestedBy);
}

export function requesterRefusal(standing: RequesterStanding, { type, id }: ActorRecord): Refusal | null {
  if (standing === 'stands') return null;
  const details = type === 'api_key' && id !== null ? { keyId: id } : {};
  if (standing === 'key_revoked') {
    const message = `key ${id ?? ''}, which asked for it, was revoked meanwhile`;
    return { code: 'requester_revoked', message, details };
  }
  if (standing === 'app_disconnected') {
    return { code: 'requester_revoked', message: 'the app that asked for it was disconnected meanwhile', details };
  }
  const who =
    type === 'api_key' ? `the member who made key ${id ?? ''}, which asked for it,` : 'the member who asked for it';
  return { code: 'requester_revoked', message: `${who} was removed from the workspace meanwhile`, details };
}
