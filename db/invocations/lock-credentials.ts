import type { EnvironmentTransaction } from '../client.ts';
import type { InvocationWork } from './records.ts';

/** Whether the requester of an invocation may still act. A key that expired is still good: its expiry was known when it asked. */
export type RequesterStanding = 'stands' | 'key_revoked' | 'member_removed' | 'app_disconnected';

/**
 * Locks the credentials behind an invocation until the transaction ends: the requester's, and those of everyone who decided on
 * its approval. A revocation or removal has either committed and is seen, or waits for this transaction. Members are locked
 * before keys, and keys before connected apps, each in id order. The caller has locked the invocation.
 */
export async function lockCredentials(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'requestedBy' | 'requestingMember' | 'approvalId'>,
): Promise<RequesterStanding> {
  const [isMember, isLiveKey, isConnected] = await Promise.all([
    lockMembers(tx, work),
    lockKeys(tx, work),
    lockApps(tx, work),
  ]);
  if (work.requestedBy.type === 'api_key' && !isLiveKey) return 'key_revoked';
  if (!isMember) return 'member_removed';
  return isConnected ? 'stands' : 'app_disconnected';
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

/**
 * True where no app asked, or the user has it connected since. An app that the user has connected twice, on two machines, counts until the
 * last of the two is disconnected: its name is the same.
 */
async function lockApps(
  tx: EnvironmentTransaction,
  { id, requestedBy }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  if (requestedBy.clientId === undefined) return true;
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT g.id FROM oauth_grants g JOIN invocations i ON i.id = :id
     WHERE g.environment_id = current_environment_id() AND g.user_id = :userId AND g.client_id = :clientId AND g.ended_at IS NULL
       AND g.created_at <= i.created_at
     ORDER BY g.id FOR SHARE OF g`,
    { id, userId: requestedBy.id, clientId: requestedBy.clientId },
  );
  return rows.length > 0;
}
