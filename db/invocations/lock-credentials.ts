import type { EnvironmentTransaction } from '../client.ts';
import type { InvocationWork } from './records.ts';

/** Whether an invocation's requester may still act. An expiry takes nothing back: it was known beforehand. */
export type RequesterStanding = 'stands' | 'key_revoked' | 'member_removed';

/**
 * Locks the credentials that an invocation rests on until the transaction ends: its requester's, and those of everyone who
 * decided on its approval. A revocation or a removal has either committed by now and is found, or waits for this
 * transaction. Members are locked before keys, each in the order of their ids. The caller has locked the invocation.
 */
export async function lockCredentials(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'requestedBy' | 'requestingMember' | 'approvalId'>,
): Promise<RequesterStanding> {
  const [isMember, isLiveKey] = await Promise.all([lockMembers(tx, work), lockKeys(tx, work)]);
  if (work.requestedBy.type === 'api_key' && !isLiveKey) return 'key_revoked';
  return isMember ? 'stands' : 'member_removed';
}

/** Whether the member on whom the request rests has been one since; true where it rests on none. Who came back is a new member. */
async function lockMembers(
  tx: EnvironmentTransaction,
  { id, requestedBy, requestingMember, approvalId }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  const restsOnNobody = requestingMember === null && requestedBy.type === 'api_key';
  if (restsOnNobody && approvalId === null) return true;
  const { rows } = await tx.raw<{ rows: { userId: string; isSince: boolean }[] }>(
    `SELECT m.user_id AS "userId", m.created_at <= i.created_at AS "isSince"
     FROM members m JOIN invocations i ON i.id = :id
     WHERE m.workspace_id = current_workspace_id() AND (m.user_id = :requestingMember OR m.user_id IN (
       SELECT voice_of(d.actor_type, d.actor_id) FROM approval_decisions d WHERE d.approval_id = :approvalId))
     ORDER BY m.user_id FOR SHARE OF m`,
    { id, requestingMember, approvalId },
  );
  return restsOnNobody || rows.some(({ userId, isSince }) => userId === requestingMember && isSince);
}

/** Whether the key that asked is live. A key is never deleted: one that is not there never asked. */
async function lockKeys(
  tx: EnvironmentTransaction,
  { requestedBy, approvalId }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  const deciders =
    approvalId === null
      ? ''
      : `OR id IN (SELECT actor_id FROM approval_decisions WHERE approval_id = :approvalId AND actor_type = 'api_key')`;
  const { rows } = await tx.raw<{ rows: { id: string; isLive: boolean }[] }>(
    `SELECT id, revoked_at IS NULL AS "isLive" FROM api_keys WHERE id = :requester ${deciders} ORDER BY id FOR SHARE`,
    approvalId === null ? { requester: requestedBy.id } : { requester: requestedBy.id, approvalId },
  );
  return rows.some(({ id, isLive }) => id === requestedBy.id && isLive);
}
