import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { MESSAGE_COLUMNS, type MessageRecord } from './records.ts';

export interface MessageFilter {
  status?: MessageStatus | undefined;
  /** Created after. */
  startDate?: Date | undefined;
  /** Created before. */
  endDate?: Date | undefined;
  /** The destination, exactly as it was published. */
  url?: string | undefined;
  includeEventDeliveries: boolean;
  limit: number;
  offset: number;
}

/** Newest first, ties by id; `total` counts what the filter matches. */
export async function listMessages(
  tx: EnvironmentTransaction,
  filter: MessageFilter,
): Promise<{ total: number; items: MessageRecord[] }> {
  const { status, startDate, endDate, url } = filter;
  const matching = tx('messages').whereRaw('messages.environment_id = current_environment_id()');
  if (status !== undefined) void matching.where({ status });
  if (startDate !== undefined) void matching.where('messages.created_at', '>', startDate);
  if (endDate !== undefined) void matching.where('messages.created_at', '<', endDate);
  if (url !== undefined) void matching.where({ url });
  if (!filter.includeEventDeliveries) void matching.whereNot('messages.kind', 'event');
  const counted = await matching.clone().count<{ count: string }[]>();
  const items = await matching
    .select<MessageRecord[]>(MESSAGE_COLUMNS)
    .orderBy([
      { column: 'messages.created_at', order: 'desc' },
      { column: 'messages.id', order: 'desc' },
    ])
    .limit(filter.limit)
    .offset(filter.offset);
  return { total: Number(counted[0]?.count ?? 0), items };
}
