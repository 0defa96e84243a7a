import type { EnvironmentTransaction } from '../client.ts';
import type { InvocationWork } from './records.ts';

/** Whether the requester of an invocation may still act. A key that expired is still good: its expiry was known when it asked. */
export type RequesterStanding = 'stands' | 'key_revoked' | 'member_removed';

/**
 * Locks the credentials behind an invocation until the transaction ends: the requester's, and those of everyone who decided on
 * its approval. A revocation or removal has either committed and is seen, or waits for this transaction. Members are locked
 * before keys, each in id order. The caller has locked the invocation.
 */
export async function lockCredentials(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'requestedBy' | 'requestingMember' | 'approvalId'>,
): Promise<RequesterStanding> {
  const [isMember, isLiveKey] = await Promise.all([lockMembers(tx, work), lockKeys(tx, work)]);
  if (work.requestedBy.type === 'api_key' && !isLiveKey) return 'key_revoked';
  return isMember ? 'stands' : 'member_removed';
}

/**
 * True where the member behind the request has stayed one since, or where there is none. Somebody who left and came back is a new
 * member.
 */
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

/** Whether the requesting key is live. Keys are never deleted, so a missing key never asked. */
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
