import type { Knex } from 'knex';

export const name = '0041-more-permits';

/**
 * Permits in flight for two more kinds of work: notifications (e-mails, and posts of approvals to chats), which share the slots of
 * deliveries, and maintenance (pages of jobs and of fan-outs, and starts of messages).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE in_flight_permits
      DROP CONSTRAINT in_flight_permits_kind_check,
      ADD CONSTRAINT in_flight_permits_kind_check
        CHECK (kind IN ('dispatch', 'delivery', 'provider_read', 'notification', 'maintenance'));
  `);
}
