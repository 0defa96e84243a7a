import type { EnvironmentTransaction } from '../client.ts';
import { MESSAGE_COLUMNS, type MessageRecord } from './records.ts';

export async function getMessage(tx: EnvironmentTransaction, messageId: string): Promise<MessageRecord | null> {
  const rows = await tx('messages').where({ id: messageId }).select<MessageRecord[]>(MESSAGE_COLUMNS);
  return rows[0] ?? null;
}
