import type { Knex } from 'knex';

export const name = '0023-agent-keys';

/** The preset of a key that an agent holds. What a preset grants is written into the key's scopes when it is made. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys DROP CONSTRAINT api_keys_preset_check;
    ALTER TABLE api_keys ADD CONSTRAINT api_keys_preset_check
      CHECK (preset IN ('standard', 'read_only', 'full_access', 'agent'));
  `);
}
