import type { Knex } from 'knex';

export const name = '0042-span-parts';

/**
 * A span comes in parts, in any order. What was sent must be told from what the service filled in until it is sent: a time of arrival gives
 * way to the time that is sent later, and a success that follows from an end becomes a failure once the error is there.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE spans
      ADD COLUMN sent_status text CHECK (sent_status IN ('succeeded', 'failed', 'cancelled')),
      ADD COLUMN is_start_sent boolean NOT NULL DEFAULT false,
      ADD COLUMN is_end_sent boolean NOT NULL DEFAULT false;
    GRANT UPDATE (sent_status, is_start_sent, is_end_sent) ON spans TO service_app;
  `);
}
