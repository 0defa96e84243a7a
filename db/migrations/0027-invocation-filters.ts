import type { Knex } from 'knex';

export const name = '0027-invocation-filters';

/** The newest invocations of an agent and of a run, in the order of the list. Most invocations name neither. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX invocations_by_agent ON invocations (environment_id, agent_id, created_at DESC, id DESC) WHERE agent_id IS NOT NULL;
    CREATE INDEX invocations_by_run ON invocations (environment_id, run_id, created_at DESC, id DESC) WHERE run_id IS NOT NULL;
  `);
}
