import type { Knex } from 'knex';

export const name = '0061-one-index-of-overdue';

/** The index of overdue messages that 0054 replaced. To drop it nobody may use the table, for a moment: so it is a transaction of its own. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS messages_overdue_before');
}
