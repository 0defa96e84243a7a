import { newId } from '../../../domain/ids.ts';
import { type DeclaredSweeps, starting, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/event': async (world) => {
      const { asOwner, tenant } = world.database;
      const topic = newId('topic');
      await asOwner(`INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, 'orders')`, [
        topic,
        tenant.environmentId,
      ]);
      const ids = threeIds('event');
      await asOwner(
        `INSERT INTO events (id, environment_id, topic_id, public_id, type, data, occurred_at, published_by, retention, created_at)
         SELECT id, $2, $3, id, 'order.paid', '{}', now(), '{}', 'month', now() - interval '1 hour' FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId, topic],
      );
      return {
        ...starting(ids, 'fanOutEvent'),
        end: () => asOwner(`UPDATE events SET status = 'fanned_out', fanned_out_at = now() WHERE id = ANY ($1)`, [ids]),
      };
    },
  },
  steps: {
    'old-events': { delete_old: 'delete_old_events', delete_of_deleted_topics: 'delete_deleted_topics' },
  },
};
