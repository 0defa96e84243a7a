import { type Page, pageOf, type Range } from '../page.ts';
import type { DeadLetterFilter } from '../../domain/dead-letters/dead-letters.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { CONTENT_COLUMNS } from '../messages/list-messages.ts';
import { bindingsOf, MATCHES } from './filter.ts';
import {
  DEAD_LETTER_COLUMNS,
  DEAD_LETTER_JOINS,
  type DeadLetterRecord,
  LISTED_DEAD_LETTER_COLUMNS,
  type ListedDeadLetterRecord,
} from './records.ts';

/** Those that failed last first, ties by id, with large bodies and headers shortened. */
export async function listDeadLetters(
  tx: EnvironmentTransaction,
  filter: DeadLetterFilter,
  range: Range,
): Promise<Page<ListedDeadLetterRecord>> {
  return pageOf(tx, {
    columns: `${LISTED_DEAD_LETTER_COLUMNS}, ${CONTENT_COLUMNS}`,
    from: 'dead_letters d',
    joins: DEAD_LETTER_JOINS,
    where: MATCHES,
    order: 'd.failed_at DESC, d.message_id DESC',
    asked: { ...bindingsOf(filter), ...range },
  });
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
    `SELECT ${DEAD_LETTER_COLUMNS} FROM dead_letters d ${DEAD_LETTER_JOINS} WHERE d.message_id = ?`,
    [messageId],
  );
  return rows[0] ?? null;
}
