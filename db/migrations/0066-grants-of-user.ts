import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0066-grants-of-user';

/**
 * The cap of connected apps counts those of every workspace. A consent works in the transaction of one environment, which sees that
 * environment's grants alone, and two consents at once both saw room for one more.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, DIRECTORY, ['hold_oauth_grants_of_user(text)']);
}

const DIRECTORY = `
  -- How many apps the user has connected, in every workspace. Until the end of the transaction no other counts them: it would not see this one's.
  CREATE FUNCTION hold_oauth_grants_of_user(of_user text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('oauth-grants-of/' || of_user, 0));
      RETURN (SELECT count(*)::int FROM oauth_grants g WHERE g.user_id = of_user AND g.ended_at IS NULL AND g.expires_at > now());
    END $$;
`;
