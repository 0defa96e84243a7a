import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { MESSAGE_COLUMNS, MESSAGE_TABLES, type MessageRecord, responseBodyOf } from './records.ts';

export async function getMessage(tx: EnvironmentTransaction, messageId: string): Promise<MessageRecord | null> {
  const { rows } = await tx.raw<{ rows: MessageRecord[] }>(
    `SELECT ${selected(MESSAGE_COLUMNS)}, ${responseBodyOf(':messageId')} FROM ${MESSAGE_TABLES} WHERE messages.id = :messageId`,
    { messageId },
  );
  return rows[0] ?? null;
}
