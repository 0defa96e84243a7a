import type { Knex } from 'knex';

export const name = '0018-budgets';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('SELECT 1');
}
