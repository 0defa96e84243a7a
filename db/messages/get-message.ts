import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { MESSAGE_COLUMNS, type MessageRecord } from './records.ts';

export async function getMessage(tx: EnvironmentTransaction, messageId: string): Promise<MessageRecord | null> {
  const { rows } = await tx.raw<{ rows: MessageRecord[] }>(
    `SELECT ${selected(MESSAGE_COLUMNS)} FROM messages WHERE id = ?`,
    [messageId],
  );
  return rows[0] ?? null;
}
