import type { DeadLetterFilter } from '../../domain/dead-letters/dead-letters.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { CONTENT_COLUMNS } from '../messages/list-messages.ts';
import { bindingsOf, MATCHES } from './filter.ts';
import {
  DEAD_LETTER_COLUMNS,
  DEAD_LETTER_TABLES,
  type DeadLetterRecord,
  LISTED_DEAD_LETTER_COLUMNS,
  type ListedDeadLetterRecord,
} from './records.ts';

/** Those that failed last first, ties by id, with large bodies and headers shortened. */
export async function listDeadLetters(
  tx: EnvironmentTransaction,
  filter: DeadLetterFilter,
  page: { limit: number; offset: number },
): Promise<{ total: number; items: ListedDeadLetterRecord[] }> {
  const total = await countDeadLetters(tx, filter);
  const { rows } = await tx.raw<{ rows: ListedDeadLetterRecord[] }>(
    `SELECT ${LISTED_DEAD_LETTER_COLUMNS}, ${CONTENT_COLUMNS} FROM ${DEAD_LETTER_TABLES}
     WHERE ${MATCHES} ORDER BY d.failed_at DESC, d.message_id DESC LIMIT :limit OFFSET :offset`,
    { ...bindingsOf(filter), limit: page.limit, offset: page.offset },
  );
  return { total, items: rows };
}

export async function countDeadLetters(tx: EnvironmentTransaction, filter: DeadLetterFilter): Promise<number> {
  const { rows } = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM dead_letters d WHERE ${MATCHES}`,
    bindingsOf(filter),
  );
  return rows[0]?.total ?? 0;
}

export async function getDeadLetter(tx: EnvironmentTransaction, messageId: string): Promise<DeadLetterRecord | null> {
  const { rows } = await tx.raw<{ rows: DeadLetterRecord[] }>(
    `SELECT ${DEAD_LETTER_COLUMNS} FROM ${DEAD_LETTER_TABLES} WHERE d.message_id = ?`,
    [messageId],
  );
  return rows[0] ?? null;
}
