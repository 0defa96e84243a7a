import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { MESSAGE_COLUMNS, type SessionMessageRecord } from './records.ts';

export interface MessagePage extends Range {
  order: 'asc' | 'desc';
  /** The sequence behind which the list begins, in its order. */
  after?: number | undefined;
}

/** One page of a session that the same transaction has found. Messages are whole: they are bounded one by one. */
export async function listMessages(
  tx: EnvironmentTransaction,
  sessionId: string,
  { order, ...asked }: MessagePage,
): Promise<Page<SessionMessageRecord>> {
  const isAscending = order === 'asc';
  const after = `m.sequence ${isAscending ? '>' : '<'} CAST(:after AS bigint)`;
  return pageOf(tx, {
    columns: MESSAGE_COLUMNS,
    from: 'session_messages m',
    where: ['m.session_id = :sessionId', ...conditionsFor({ after }, asked)].join(' AND '),
    order: `m.sequence ${isAscending ? 'ASC' : 'DESC'}`,
    asked: { sessionId, ...asked },
  });
}
