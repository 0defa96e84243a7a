import type { Knex } from 'knex';

export const name = '0019-reconciliation';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('SELECT 1');
}
