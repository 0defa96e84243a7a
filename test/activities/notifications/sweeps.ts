import { newId } from '../../../domain/ids.ts';
import { type DeclaredSweeps, deletingById, starting, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'old-notifications': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('notification');
      await asOwner(
        `INSERT INTO notifications (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key, updated_at)
         SELECT id, $2, 'message.failed', 'Old', '', 'message', 'msg_1', id, now() - interval '91 days' FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId],
      );
      return deletingById(world, 'notifications', ids);
    },
    'workflow-starts/email': async (world) => {
      const { asOwner, tenant } = world.database;
      const notification = newId('notification');
      await asOwner(
        `INSERT INTO notifications (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key)
         VALUES ($1, $2, 'message.failed', 'New', '', 'message', 'msg_1', $1)`,
        [notification, tenant.environmentId],
      );
      const ids = threeIds('notificationEmail');
      await asOwner(
        `INSERT INTO notification_emails (id, environment_id, notification_id, recipient, status, next_attempt_at)
         SELECT id, $2, $3, id || '@example.com', 'queued', now() - interval '1 hour' FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId, notification],
      );
      return {
        ...starting(ids, 'sendEmail'),
        end: () =>
          asOwner(`UPDATE notification_emails SET status = 'failed', ended_at = now() WHERE id = ANY ($1)`, [ids]),
      };
    },
  },
};
