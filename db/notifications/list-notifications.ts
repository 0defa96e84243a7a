import { type Page, pageOf, type Range } from '../page.ts';
import type { NotificationType } from '../../domain/notifications/notifications.ts';
import type { EnvironmentTransaction } from '../client.ts';
import {
  IS_SHOWN,
  IS_UNREAD,
  NOTIFICATION_COLUMNS,
  NOTIFICATION_TABLES,
  type NotificationRecord,
  type Reader,
  readerBindings,
} from './records.ts';

export interface NotificationFilter extends Range {
  type?: NotificationType | undefined;
  unread?: boolean | undefined;
}

/** What this reader sees, the last counted first. */
export async function listNotifications(
  tx: EnvironmentTransaction,
  reader: Reader,
  filter: NotificationFilter,
): Promise<Page<NotificationRecord>> {
  return pageOf(tx, {
    columns: NOTIFICATION_COLUMNS,
    from: NOTIFICATION_TABLES,
    where: IS_SHOWN,
    filters: { type: 'n.type = :type', unread: `(${IS_UNREAD}) = :unread` },
    order: 'n.updated_at DESC, n.id DESC',
    asked: { ...readerBindings(reader), ...filter },
  });
}

export async function countUnread(tx: EnvironmentTransaction, reader: Reader): Promise<number> {
  const { rows } = await tx.raw<{ rows: { unread: number }[] }>(
    `SELECT count(*)::int AS unread FROM ${NOTIFICATION_TABLES} WHERE ${IS_SHOWN} AND ${IS_UNREAD}`,
    readerBindings(reader),
  );
  return rows[0]?.unread ?? 0;
}

/** Also one that this reader has muted. Null: there is none, or this reader has put it away. */
export async function getNotification(
  tx: EnvironmentTransaction,
  reader: Reader,
  id: string,
): Promise<NotificationRecord | null> {
  const { rows } = await tx.raw<{ rows: NotificationRecord[] }>(
    `SELECT ${NOTIFICATION_COLUMNS} FROM ${NOTIFICATION_TABLES} WHERE n.id = :id AND COALESCE(k.dismissed_count, 0) < n.count`,
    { reader: reader.id, id },
  );
  return rows[0] ?? null;
}
