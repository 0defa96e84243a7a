import type { Refusal } from '../refusals.ts';

/** Whether the requester of an invocation may still act. A key that expired is still good: its expiry was known when it asked. */
export type RequesterStanding = 'stands' | 'key_revoked' | 'member_removed' | 'app_disconnected';

/** Why the requester of an invocation may no longer act; null while they may. */
export function requesterRefusal(
  standing: RequesterStanding,
  { type, id }: { type: string; id: string | null },
): Refusal | null {
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
