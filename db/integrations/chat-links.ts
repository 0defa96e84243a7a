import type { ChatUser } from '../../domain/integrations/integrations.ts';
import { LINK_CODE_SECONDS } from '../../domain/integrations/integrations.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The member that a chat user is. The row is locked: it is there until the decision commits. */
export async function findChatLink(
  tx: EnvironmentTransaction,
  integrationId: string,
  chatUserId: string,
): Promise<{ userId: string } | null> {
  const { rows } = await tx.raw<{ rows: { userId: string }[] }>(
    'SELECT user_id AS "userId" FROM chat_links WHERE integration_id = ? AND chat_user_id = ? FOR SHARE',
    [integrationId, chatUserId],
  );
  return rows[0] ?? null;
}

/** A new code for a chat user, in place of an earlier one. */
export async function putLinkCode(
  tx: EnvironmentTransaction,
  integrationId: string,
  user: ChatUser,
  codeHash: Buffer,
): Promise<void> {
  await tx.raw(
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
  const { rows } = await tx.raw<{ rows: ChatLink[] }>(
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
  return rows[0] ?? null;
}

/** Ends every link of a member with an integration. Returns the chat users that they were. */
export async function deleteChatLinks(
  tx: EnvironmentTransaction,
  integrationId: string,
  userId: string,
): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { chatUserId: string }[] }>(
    'DELETE FROM chat_links WHERE integration_id = ? AND user_id = ? RETURNING chat_user_id AS "chatUserId"',
    [integrationId, userId],
  );
  return rows.map(({ chatUserId }) => chatUserId);
}
