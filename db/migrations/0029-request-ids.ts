import type { Knex } from 'knex';

export const name = '0029-request-ids';

/** The request that was admitted, so that an invocation leads to its lines of the log. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE invocations ADD COLUMN request_id text CHECK (length(request_id) BETWEEN 1 AND 128)');
}
