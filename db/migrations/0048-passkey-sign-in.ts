import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0048-passkey-sign-in';

/**
 * A passkey signs in by itself. A session that began so has seen no password. A passkey remembers the time of the newest challenge that it
 * answered at a sign-in: an older one, or the same one again, is refused, so that an answer counts once and unanswered challenges leave
 * nothing behind.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_passkey_owner(bytea)']);
}

const TABLES = `
  ALTER TABLE sign_in_sessions ALTER COLUMN password_at DROP NOT NULL,
    ADD CHECK (password_at IS NOT NULL OR second_factor_at IS NOT NULL);
  ALTER TABLE passkeys ADD COLUMN challenged_at timestamptz(3);
  GRANT UPDATE (challenged_at) ON passkeys TO service_app;
`;

const DIRECTORY = `
  GRANT SELECT (credential_id) ON passkeys TO service_directory;

  -- Whose passkey has this id, which an authenticator chose at random. Null: nobody's.
  CREATE FUNCTION find_passkey_owner(wanted bytea) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT user_id FROM passkeys WHERE credential_id = wanted;
    END;
`;
