import type { Knex } from 'knex';

export const name = '0022-sweep';

/**
 * What is past its time is found page by page and deleted by id, so that a row that cannot be deleted keeps no other row. Each
 * deletion looks at the time again: a new request may have taken the row between the look and the deletion.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT USAGE, CREATE ON SCHEMA public TO service_directory');
  // The functions belong to service_directory: replacing them takes the membership for a moment, as in 0007.
  await knex.raw(`DO $$ BEGIN EXECUTE format('GRANT service_directory TO %I', current_user); END $$`);
  await knex.raw(`
    DROP FUNCTION delete_expired_idempotency_claims(integer);
    DROP FUNCTION delete_expired_message_deduplications(integer);
  `);
  await knex.raw(CLAIMS);
  await knex.raw(DEDUPLICATIONS);
  await knex.raw(THROTTLES);
  await knex.raw('REVOKE CREATE ON SCHEMA public FROM service_directory');
  await knex.raw(`DO $$ BEGIN EXECUTE format('REVOKE service_directory FROM %I', current_user); END $$`);
}

const owned = (signature: string): string => `
  ALTER FUNCTION ${signature} OWNER TO service_directory;
  REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ${signature} TO service_app;`;

const CLAIMS = `
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
  ${owned('find_expired_idempotency_claims(text, integer)')}
  ${owned('delete_expired_idempotency_claims(text[])')}`;

const DEDUPLICATIONS = `
  CREATE FUNCTION find_expired_message_deduplications(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT d.id FROM (SELECT (environment_id::text || '/' || encode(digest, 'hex')) COLLATE "C" AS id
        FROM message_deduplications WHERE expires_at < now()) d
      WHERE d.id > after_id ORDER BY d.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_message_deduplications(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM message_deduplications d USING unnest(ids) old (id)
      WHERE d.environment_id = left(old.id, 36)::uuid AND d.digest = decode(substr(old.id, 38), 'hex') AND d.expires_at < now();
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
  ${owned('find_expired_message_deduplications(text, integer)')}
  ${owned('delete_expired_message_deduplications(text[])')}`;

const THROTTLES = `
  CREATE FUNCTION find_expired_sign_in_throttles(forgotten_after interval, home interval, after_id text, most integer)
    RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT t.id FROM (SELECT encode(key, 'hex') COLLATE "C" AS id FROM sign_in_throttles
        WHERE last_failed_at < now() - forgotten_after AND (succeeded_at IS NULL OR succeeded_at < now() - home)) t
      WHERE t.id > after_id ORDER BY t.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_sign_in_throttles(forgotten_after interval, home interval, ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM sign_in_throttles t USING unnest(ids) old (id)
      WHERE t.key = decode(old.id, 'hex') AND t.last_failed_at < now() - forgotten_after
        AND (t.succeeded_at IS NULL OR t.succeeded_at < now() - home);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
  ${owned('find_expired_sign_in_throttles(interval, interval, text, integer)')}
  ${owned('delete_expired_sign_in_throttles(interval, interval, text[])')}`;
