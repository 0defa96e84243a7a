import type { EmailStatus } from '../../domain/notifications/emails.ts';
import type { NotificationType, SubjectType } from '../../domain/notifications/notifications.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** A notification as one reader sees it. */
export interface NotificationRecord {
  id: string;
  type: NotificationType;
  title: string;
  body: string;
  subject: { type: SubjectType; id: string };
  count: number;
  /** Its e-mails by status; a status that none has is left out. */
  emails: Partial<Record<EmailStatus, number>>;
  /** Null when this reader has not read it, or its count has risen since. */
  readAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The reader, to whom the marks belong. */
export interface Reader {
  /** The id of the user or of the API key. */
  id: string;
  /** Null for an API key, which mutes nothing. */
  userId: string | null;
}

const MARK = 'notification_marks k ON k.notification_id = n.id AND k.reader = :reader';

const NOTIFICATION_TABLES = `notifications n LEFT JOIN ${MARK}`;
const IS_UNREAD = 'COALESCE(k.read_count, 0) < n.count';

/** What this reader has not put away, and has not muted. */
const IS_SHOWN = `n.environment_id = current_environment_id() AND COALESCE(k.dismissed_count, 0) < n.count
  AND NOT (n.type = ANY (COALESCE((SELECT m.types FROM notification_mutes m
    WHERE m.workspace_id = current_workspace_id() AND m.user_id = :userId), '{}')))`;

const NOTIFICATION_COLUMNS = `n.id, n.type, n.title, n.body,
  json_build_object('type', n.subject_type, 'id', n.subject_id) AS subject, n.count,
  (SELECT COALESCE(json_object_agg(m.status, m.emails), '{}') FROM (SELECT m.status, count(*) AS emails FROM notification_emails m
    WHERE m.notification_id = n.id GROUP BY m.status) m) AS emails,
  CASE WHEN ${IS_UNREAD} THEN NULL ELSE k.read_at END AS "readAt", n.created_at AS "createdAt", n.updated_at AS "updatedAt"`;

function readerBindings({ id, userId }: Reader): { reader: string; userId: string | null } {
  return { reader: id, userId };
}

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
    name: 'list_notifications',
    columns: NOTIFICATION_COLUMNS,
    from: NOTIFICATION_TABLES,
    where: IS_SHOWN,
    filters: { type: 'n.type = :type', unread: `(${IS_UNREAD}) = :unread` },
    order: 'n.updated_at DESC, n.id DESC',
    asked: { ...readerBindings(reader), ...filter },
  });
}

export async function countUnread(tx: EnvironmentTransaction, reader: Reader): Promise<number> {
  const row = await tx.row<{ unread: number }>(
    'count_unread',
    `SELECT count(*)::int AS unread FROM ${NOTIFICATION_TABLES} WHERE ${IS_SHOWN} AND ${IS_UNREAD}`,
    readerBindings(reader),
  );
  return row?.unread ?? 0;
}

/** Returns null when the notification does not exist or this reader dismissed it. Muted ones are returned. */
export async function getNotification(
  tx: EnvironmentTransaction,
  reader: Reader,
  id: string,
): Promise<NotificationRecord | null> {
  return tx.row<NotificationRecord>(
    'get_notification',
    `SELECT ${NOTIFICATION_COLUMNS} FROM ${NOTIFICATION_TABLES} WHERE n.id = :id AND COALESCE(k.dismissed_count, 0) < n.count`,
    { reader: reader.id, id },
  );
}

/** Marks one as read by this reader, as far as it counts now. Reading it again keeps the time. */
export async function markRead(tx: EnvironmentTransaction, reader: Reader, id: string): Promise<void> {
  await tx.raw(
    'mark_read',
    `INSERT INTO notification_marks AS k (notification_id, environment_id, reader, read_at, read_count)
     SELECT n.id, n.environment_id, :reader, now(), n.count FROM notifications n WHERE n.id = :id
     ON CONFLICT (notification_id, reader) DO UPDATE SET read_at = excluded.read_at, read_count = excluded.read_count
       WHERE k.read_count < excluded.read_count`,
    { reader: reader.id, id },
  );
}

/** Marks all that this reader sees as read. Returns how many were unread. */
export async function markAllRead(tx: EnvironmentTransaction, reader: Reader): Promise<number> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'mark_all_read',
    `INSERT INTO notification_marks AS k (notification_id, environment_id, reader, read_at, read_count)
     SELECT n.id, n.environment_id, :reader, now(), n.count FROM ${NOTIFICATION_TABLES} WHERE ${IS_SHOWN} AND ${IS_UNREAD}
     ORDER BY n.id
     ON CONFLICT (notification_id, reader) DO UPDATE SET read_at = excluded.read_at, read_count = excluded.read_count
       WHERE k.read_count < excluded.read_count`,
    readerBindings(reader),
  );
  return rowCount;
}

/** Puts one away for this reader, until it is counted on. Returns false where they see none. */
export async function dismiss(tx: EnvironmentTransaction, reader: Reader, id: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'notifications_dismiss',
    `INSERT INTO notification_marks AS k (notification_id, environment_id, reader, dismissed_count)
     SELECT n.id, n.environment_id, :reader, n.count FROM notifications n WHERE n.id = :id
     ON CONFLICT (notification_id, reader) DO UPDATE SET dismissed_count = excluded.dismissed_count
       WHERE k.dismissed_count < excluded.dismissed_count`,
    { reader: reader.id, id },
  );
  return rowCount > 0;
}
