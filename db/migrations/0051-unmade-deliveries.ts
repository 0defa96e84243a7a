import type { Knex } from 'knex';

export const name = '0051-unmade-deliveries';

/**
 * A subscription whose sealed headers do not open (their master key is lost, for one) gets no message of an event, and the others get
 * theirs. The event counts it, so that it ends as failed and says why.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE events ADD COLUMN unmade integer NOT NULL DEFAULT 0 CHECK (unmade >= 0); -- subscriptions whose message could not be made
    GRANT UPDATE (unmade) ON events TO service_app;
  `);
}
