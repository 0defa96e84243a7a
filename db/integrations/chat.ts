import { type ChatUser, LINK_CODE_SECONDS } from '../../domain/integrations/integrations.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The member that a chat user is. The row is locked: it is there until the decision commits. */
export async function findChatLink(
  tx: EnvironmentTransaction,
  integrationId: string,
  chatUserId: string,
): Promise<{ userId: string } | null> {
  return tx.row<{ userId: string }>(
    'find_chat_link',
    'SELECT user_id AS "userId" FROM chat_links WHERE integration_id = ? AND chat_user_id = ? FOR SHARE',
    [integrationId, chatUserId],
  );
}

/** A new code for a chat user, in place of an earlier one. */
export async function putLinkCode(
  tx: EnvironmentTransaction,
  integrationId: string,
  user: ChatUser,
  codeHash: Buffer,
): Promise<void> {
  await tx.raw(
    'put_link_code',
    `INSERT INTO chat_link_codes (integration_id, chat_user_id, environment_id, chat_user_name, code_hash, expires_at)
     VALUES (:integrationId, :userId, current_environment_id(), :userName, :codeHash, clock_timestamp() + make_interval(secs => :seconds))
     ON CONFLICT (integration_id, chat_user_id) DO UPDATE
       SET chat_user_name = excluded.chat_user_name, code_hash = excluded.code_hash, expires_at = excluded.expires_at`,
    { integrationId, userId: user.id, userName: user.name, codeHash, seconds: LINK_CODE_SECONDS },
  );
}

export interface ChatLink {
  integrationId: string;
  chatUser: ChatUser;
  linkedAt: Date;
}

/** Redeems a code, once: the chat user is this member from now on. Null for a code that is unknown, used or past its time. */
export async function redeemLinkCode(
  tx: EnvironmentTransaction,
  codeHash: Buffer,
  userId: string,
): Promise<ChatLink | null> {
  return tx.row<ChatLink>(
    'redeem_link_code',
    `WITH redeemed AS (
       DELETE FROM chat_link_codes WHERE environment_id = current_environment_id() AND code_hash = :codeHash
       RETURNING integration_id, chat_user_id, chat_user_name, expires_at)
     INSERT INTO chat_links (integration_id, chat_user_id, environment_id, chat_user_name, user_id)
     SELECT integration_id, chat_user_id, current_environment_id(), chat_user_name, :userId FROM redeemed
     WHERE expires_at > clock_timestamp()
     ON CONFLICT DO NOTHING
     RETURNING integration_id AS "integrationId", linked_at AS "linkedAt",
       jsonb_build_object('id', chat_user_id, 'name', chat_user_name) AS "chatUser"`,
    { codeHash, userId },
  );
}

/** Ends every link of a member with an integration. Returns the chat users that they were. */
export async function deleteChatLinks(
  tx: EnvironmentTransaction,
  integrationId: string,
  userId: string,
): Promise<string[]> {
  const rows = await tx.rows<{ chatUserId: string }>(
    'delete_chat_links',
    'DELETE FROM chat_links WHERE integration_id = ? AND user_id = ? RETURNING chat_user_id AS "chatUserId"',
    [integrationId, userId],
  );
  return rows.map(({ chatUserId }) => chatUserId);
}

/** Whether the approval was posted to this integration, or refused by it for good. */
export async function isPosted(
  tx: EnvironmentTransaction,
  { approvalId, integrationId }: { approvalId: string; integrationId: string },
): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'is_posted',
    'SELECT 1 FROM chat_posts WHERE approval_id = ? AND integration_id = ?',
    [approvalId, integrationId],
  );
  return rows.length > 0;
}

/** Idempotent: the first record stays. `error`: the chat refused it. */
export async function recordPost(
  tx: EnvironmentTransaction,
  { approvalId, integrationId, error }: { approvalId: string; integrationId: string; error: string | null },
): Promise<void> {
  await tx.raw(
    'record_post',
    `INSERT INTO chat_posts (approval_id, integration_id, environment_id, status, error)
     VALUES (:approvalId, :integrationId, current_environment_id(), :status, :error) ON CONFLICT DO NOTHING`,
    { approvalId, integrationId, status: error === null ? 'posted' : 'refused', error: error?.slice(0, 500) ?? null },
  );
}

/** What the sender of a click is told. */
export interface ClickAnswer {
  text: string;
  /** Whether the approval no longer takes a decision: its message then loses the buttons. */
  ends: boolean;
}

/**
 * Records a click with its answer, in the transaction of its decision. Returns false for a request that is on record already: a retry, or
 * a recorded one that somebody sends again. The second of two at once waits here for the first. The sweep deletes rows after an hour, and
 * requests are accepted for only five minutes.
 */
export async function recordClick(
  tx: EnvironmentTransaction,
  integrationId: string,
  requestHash: Buffer,
  answer: ClickAnswer,
): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'record_click',
    `INSERT INTO chat_clicks (integration_id, request_hash, environment_id, answer) VALUES (?, ?, current_environment_id(), ?)
     ON CONFLICT DO NOTHING RETURNING at`,
    [integrationId, requestHash, JSON.stringify(answer)],
  );
  return rows.length > 0;
}

export async function findClick(
  tx: EnvironmentTransaction,
  integrationId: string,
  requestHash: Buffer,
): Promise<ClickAnswer | null> {
  const row = await tx.row<{ answer: ClickAnswer }>(
    'find_click',
    'SELECT answer FROM chat_clicks WHERE integration_id = ? AND request_hash = ?',
    [integrationId, requestHash],
  );
  return row?.answer ?? null;
}
