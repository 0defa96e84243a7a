import type { Knex } from 'knex';

export const name = '0056-enabled-since';

/**
 * Since when a subscription is enabled. An event goes to those that were enabled when it was published: before, one that was enabled
 * until its fan-out got it too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE event_subscriptions ADD COLUMN enabled_at timestamptz(3); -- NULL: it was never enabled anew
    GRANT UPDATE (enabled_at) ON event_subscriptions TO service_app;
  `);
}
