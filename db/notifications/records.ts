import type { EmailStatus } from '../../domain/notifications/emails.ts';
import type { NotificationType, SubjectType } from '../../domain/notifications/notifications.ts';

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
  /** Null: this reader has not read it, or it has been counted on since. */
  readAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The reader, to whom the marks belong. */
export interface Reader {
  /** The id of the user or of the API key. */
  id: string;
  /** Null: an API key, which mutes nothing. */
  userId: string | null;
}

const MARK = 'notification_marks k ON k.notification_id = n.id AND k.reader = :reader';

export const NOTIFICATION_TABLES = `notifications n LEFT JOIN ${MARK}`;
export const IS_UNREAD = 'COALESCE(k.read_count, 0) < n.count';

/** What this reader has not put away, and has not muted. */
export const IS_SHOWN = `n.environment_id = current_environment_id() AND COALESCE(k.dismissed_count, 0) < n.count
  AND NOT (n.type = ANY (COALESCE((SELECT m.types FROM notification_mutes m
    WHERE m.workspace_id = current_workspace_id() AND m.user_id = :userId), '{}')))`;

export const NOTIFICATION_COLUMNS = `n.id, n.type, n.title, n.body,
  json_build_object('type', n.subject_type, 'id', n.subject_id) AS subject, n.count,
  (SELECT COALESCE(json_object_agg(m.status, m.emails), '{}') FROM (SELECT m.status, count(*) AS emails FROM notification_emails m
    WHERE m.notification_id = n.id GROUP BY m.status) m) AS emails,
  CASE WHEN ${IS_UNREAD} THEN NULL ELSE k.read_at END AS "readAt", n.created_at AS "createdAt", n.updated_at AS "updatedAt"`;

export function readerBindings({ id, userId }: Reader): { reader: string; userId: string | null } {
  return { reader: id, userId };
}
