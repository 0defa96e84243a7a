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

export interface NotificationFilter {
  type?: NotificationType | undefined;
  unread?: boolean | undefined;
  limit: number;
  offset: number;
}

/** What this reader sees, the last counted first. */
export async function listNotifications(
  tx: EnvironmentTransaction,
  reader: Reader,
  { type, unread, limit, offset }: NotificationFilter,
): Promise<{ total: number; items: NotificationRecord[] }> {
  const where = `${IS_SHOWN} AND (CAST(:type AS text) IS NULL OR n.type = :type)
    AND (CAST(:unread AS boolean) IS NULL OR (${IS_UNREAD}) = :unread)`;
  const bindings = { ...readerBindings(reader), type: type ?? null, unread: unread ?? null, limit, offset };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM ${NOTIFICATION_TABLES} WHERE ${where}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: NotificationRecord[] }>(
    `SELECT ${NOTIFICATION_COLUMNS} FROM ${NOTIFICATION_TABLES} WHERE ${where}
     ORDER BY n.updated_at DESC, n.id DESC LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
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
