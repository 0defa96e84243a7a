import type { Knex } from 'knex';

export const name = '0068-links-end-after-codes';

/**
 * A new credential ends the link codes first, and the links second. A redemption that is under way meanwhile holds its code: the first
 * DELETE waits for it, and the second one, which is a statement with a snapshot of its own, sees the link that it made. The other way
 * round the DELETE of links had run before that link was committed, and a link made under the old credential counted under the new one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION end_chat_links() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM chat_link_codes WHERE integration_id = NEW.id;
      DELETE FROM chat_links WHERE integration_id = NEW.id;
      RETURN NULL;
    END $$;
  `);
}
