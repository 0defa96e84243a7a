import type { EnvironmentTransaction } from '../client.ts';
import { IS_SHOWN, IS_UNREAD, NOTIFICATION_TABLES, type Reader, readerBindings } from './records.ts';

/** Marks one as read by this reader, as far as it counts now. Reading it again keeps the time. */
export async function markRead(tx: EnvironmentTransaction, reader: Reader, id: string): Promise<void> {
  await tx.raw(
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
    `INSERT INTO notification_marks AS k (notification_id, environment_id, reader, dismissed_count)
     SELECT n.id, n.environment_id, :reader, n.count FROM notifications n WHERE n.id = :id
     ON CONFLICT (notification_id, reader) DO UPDATE SET dismissed_count = excluded.dismissed_count
       WHERE k.dismissed_count < excluded.dismissed_count`,
    { reader: reader.id, id },
  );
  return rowCount > 0;
}
