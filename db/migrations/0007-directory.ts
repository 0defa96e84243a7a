import type { Knex } from 'knex';

export const name = '0007-directory';

/**
 * The few reads that cannot name an environment beforehand. Each is a SECURITY DEFINER function of `service_directory`,
 * which may read exactly the columns named here and which nobody logs in as.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    GRANT USAGE, CREATE ON SCHEMA public TO service_directory;
    DO $$ BEGIN EXECUTE format('GRANT service_directory TO %I', current_user); END $$;

    CREATE POLICY directory ON api_keys FOR SELECT TO service_directory USING (true);
    CREATE POLICY directory ON environments FOR SELECT TO service_directory USING (true);
    CREATE POLICY directory ON invocations FOR SELECT TO service_directory USING (true);
    CREATE POLICY directory ON idempotency_claims TO service_directory USING (true);
    GRANT SELECT (id, workspace_id, environment_id, key_hash, preset, scopes, expires_at, revoked_at) ON api_keys TO service_directory;
    GRANT SELECT (id, workspace_id, name, kind, protected) ON environments TO service_directory;
    GRANT SELECT (id, environment_id, status, created_at, updated_at) ON invocations TO service_directory;
    GRANT SELECT (environment_id, key, expires_at), DELETE ON idempotency_claims TO service_directory;

    CREATE FUNCTION find_api_key(hash bytea)
      RETURNS TABLE (id text, workspace_id uuid, environment_id uuid, environment_name text, environment_kind text,
                     environment_protected boolean, preset text, scopes text[], expires_at timestamptz)
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
      BEGIN ATOMIC
        SELECT k.id, k.workspace_id, k.environment_id, e.name, e.kind, e.protected, k.preset, k.scopes, k.expires_at
        FROM api_keys k JOIN environments e ON e.id = k.environment_id
        WHERE k.key_hash = hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now());
      END;

    -- Invocations that were admitted and have not come to rest: their workflow may never have been started.
    CREATE FUNCTION find_unsettled_invocations(older_than interval, after_id text, most integer)
      RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
      BEGIN ATOMIC
        SELECT i.id, i.environment_id, e.workspace_id FROM invocations i JOIN environments e ON e.id = i.environment_id
        WHERE i.status IN ('queued', 'dispatching') AND i.created_at < now() - older_than AND i.id > after_id
        ORDER BY i.id LIMIT most;
      END;

    CREATE FUNCTION list_environment_ids() RETURNS TABLE (environment_id uuid, workspace_id uuid)
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
      BEGIN ATOMIC SELECT e.id, e.workspace_id FROM environments e ORDER BY e.id; END;

    CREATE FUNCTION delete_expired_idempotency_claims(most integer) RETURNS integer
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
      DECLARE deleted integer;
      BEGIN
        DELETE FROM idempotency_claims c USING (
          SELECT environment_id, key FROM idempotency_claims WHERE expires_at < now() LIMIT most) old
        WHERE c.environment_id = old.environment_id AND c.key = old.key;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        RETURN deleted;
      END $$;

    ALTER FUNCTION find_api_key(bytea) OWNER TO service_directory;
    ALTER FUNCTION find_unsettled_invocations(interval, text, integer) OWNER TO service_directory;
    ALTER FUNCTION list_environment_ids() OWNER TO service_directory;
    ALTER FUNCTION delete_expired_idempotency_claims(integer) OWNER TO service_directory;
    REVOKE CREATE ON SCHEMA public FROM service_directory;
    REVOKE ALL ON FUNCTION find_api_key(bytea), find_unsettled_invocations(interval, text, integer), list_environment_ids(),
      delete_expired_idempotency_claims(integer) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION find_api_key(bytea), find_unsettled_invocations(interval, text, integer), list_environment_ids(),
      delete_expired_idempotency_claims(integer) TO service_app;
    GRANT USAGE ON SCHEMA public TO service_app;
    -- For where not everyone may connect to this database (docker-compose.yml).
    DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO service_app', current_database()); END $$;
    -- Handing the functions over needed the membership; keeping it would let the owner see what service_directory sees.
    DO $$ BEGIN EXECUTE format('REVOKE service_directory FROM %I', current_user); END $$;
  `);
}
