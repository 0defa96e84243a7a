import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0016-idempotency';

/**
 * Claims of Idempotency-Keys, per environment. A claim is `in_progress` under a lease that its holder renews. When the holder
 * dies, the lease runs out and another request takes the claim over. Only 2xx replies are kept; a failed request deletes its
 * claim.
 *
 * Expired rows are found page by page and deleted by id, so that a row that cannot be deleted does not block others. Each
 * deletion checks the time again, because a new request may have taken the row since.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(CLAIMS);
  await makeDirectoryFunctions(knex, SWEEP, [
    'find_expired_idempotency_claims(text, integer)',
    'delete_expired_idempotency_claims(text[])',
  ]);
}

const CLAIMS = `
  CREATE TABLE idempotency_claims (
    environment_id uuid NOT NULL REFERENCES environments,
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
    request_digest text NOT NULL, -- over method, path, workspace and JSON body
    state text NOT NULL DEFAULT 'in_progress' CHECK (state IN ('in_progress', 'completed')),
    holder uuid NOT NULL,         -- of this claim; a taken-over claim has another
    lease_expires_at timestamptz(3) NOT NULL,
    awaited boolean NOT NULL DEFAULT false, -- a duplicate waits: only then is the end worth a NOTIFY
    response_status integer CHECK (response_status BETWEEN 200 AND 299),
    response_body text,           -- the very bytes that were answered
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (environment_id, key),
    CHECK ((state = 'completed') = (response_status IS NOT NULL))
  );
  CREATE INDEX idempotency_claims_expiry ON idempotency_claims (expires_at);
  CALL make_tenant_table('idempotency_claims', 'SELECT, INSERT, UPDATE, DELETE');
`;

const SWEEP = `
  CREATE POLICY directory ON idempotency_claims TO service_directory USING (true);
  GRANT SELECT (environment_id, key, expires_at), DELETE ON idempotency_claims TO service_directory;

  CREATE FUNCTION find_expired_idempotency_claims(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT c.id FROM (SELECT (environment_id::text || '/' || key) COLLATE "C" AS id FROM idempotency_claims WHERE expires_at < now()) c
      WHERE c.id > after_id ORDER BY c.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_idempotency_claims(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM idempotency_claims c USING unnest(ids) old (id)
      WHERE c.environment_id = left(old.id, 36)::uuid AND c.key = substr(old.id, 38) AND c.expires_at < now();
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
