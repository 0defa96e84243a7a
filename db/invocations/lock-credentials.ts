import type { RequesterStanding } from '../../domain/invocations/requester.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { InvocationWork } from './records.ts';

/**
 * Whether the grant `g` is that of the app that requested `invocations i`. A row from before grants were recorded names only the client:
 * for it, every grant counts by which the user has connected that app since.
 */
export const IS_REQUESTING_GRANT = `COALESCE(g.id = i.requested_by ->> 'connectedAppId',
  g.user_id = i.requested_by ->> 'id' AND g.client_id = i.requested_by ->> 'clientId' AND g.created_at <= i.created_at, false)`;

/**
 * Locks the credentials behind an invocation until the transaction ends: the requester's, and those of everyone who decided on
 * its approval. A revocation or removal has either committed and is seen, or waits for this transaction. Members are locked
 * before keys, and keys before connected apps, each in id order. The caller has locked the invocation.
 */
export async function lockCredentials(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'requestedBy' | 'requestingMember' | 'approvalId'>,
): Promise<RequesterStanding> {
  const [isMember, isLiveKey, isConnected] = await tx.inOrder(
    () => lockMembers(tx, work),
    () => lockKeys(tx, work),
    () => lockApps(tx, work),
  );
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
 * True where no app asked, or its grant has not ended. The apps that decided for their users are locked too: the database looks at their
 * grants when it counts the approvals that stand.
 */
async function lockApps(
  tx: EnvironmentTransaction,
  { id, requestedBy, approvalId }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  const isOfApp = requestedBy.clientId !== undefined;
  if (!isOfApp && approvalId === null) return true;
  const { rows } = await tx.raw<{ rows: { isRequester: boolean }[] }>(
    `SELECT g.id, ${IS_REQUESTING_GRANT} AS "isRequester" FROM oauth_grants g JOIN invocations i ON i.id = :id
     WHERE g.environment_id = current_environment_id() AND g.ended_at IS NULL AND (${IS_REQUESTING_GRANT} OR g.id IN (
       SELECT d.connected_app_id FROM approval_decisions d WHERE d.approval_id = :approvalId))
     ORDER BY g.id FOR SHARE OF g`,
    { id, approvalId },
  );
  return !isOfApp || rows.some(({ isRequester }) => isRequester);
}
