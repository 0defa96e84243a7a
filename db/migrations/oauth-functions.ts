/** Functions of 0032-oauth: apps that register themselves, and what is swept. */

export const CLIENT_FUNCTIONS = `
  CREATE POLICY directory ON oauth_clients TO service_directory USING (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_clients TO service_directory;

  -- 'registered', 'throttled' (this address registered too many within an hour), or 'full'. One registration counts at a time.
  CREATE FUNCTION register_oauth_client(of_id text, with_metadata jsonb, from_address bytea, hourly integer, most integer) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('oauth clients'));
      IF (SELECT count(*) FROM oauth_clients c WHERE c.address_hash = from_address AND c.created_at > now() - interval '1 hour') >= hourly THEN
        RETURN 'throttled';
      END IF;
      IF (SELECT count(*) FROM oauth_clients) >= most THEN RETURN 'full'; END IF;
      INSERT INTO oauth_clients (id, metadata, address_hash) VALUES (of_id, with_metadata, from_address);
      RETURN 'registered';
    END $$;

  -- Notes the use, to the day.
  CREATE FUNCTION find_oauth_client(of_id text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE found_metadata jsonb;
    BEGIN
      SELECT c.metadata INTO found_metadata FROM oauth_clients c WHERE c.id = of_id;
      IF found_metadata IS NOT NULL THEN
        UPDATE oauth_clients c SET last_used_at = now() WHERE c.id = of_id AND (c.last_used_at IS NULL OR c.last_used_at < now() - interval '1 day');
      END IF;
      RETURN found_metadata;
    END $$;
`;

/** Expired rows are found page by page and deleted by id. The deletion checks the time again (0016-idempotency). */
export const SWEEP_FUNCTIONS = `
  CREATE FUNCTION find_expired_oauth_artifacts(kept interval, after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT a.id FROM (SELECT encode(hash, 'hex') COLLATE "C" AS id FROM oauth_artifacts WHERE expires_at < now() - kept) a
      WHERE a.id > after_id ORDER BY a.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_oauth_artifacts(kept interval, ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM oauth_artifacts a USING unnest(ids) old (id) WHERE a.hash = decode(old.id, 'hex') AND a.expires_at < now() - kept;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;

  -- An app that nobody has connected is soon deleted, and one that was connected once nobody has used it for long.
  CREATE FUNCTION find_unused_oauth_clients(unconnected interval, unused interval, after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT c.id FROM oauth_clients c
      WHERE c.id > after_id AND c.created_at < now() - unconnected
        AND NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id AND g.ended_at IS NULL AND g.expires_at > now())
        AND (NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id) OR COALESCE(c.last_used_at, c.created_at) < now() - unused)
      ORDER BY c.id LIMIT most;
    END;
  CREATE FUNCTION delete_unused_oauth_clients(unconnected interval, unused interval, ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM oauth_clients c USING unnest(ids) old (id)
      WHERE c.id = old.id AND c.created_at < now() - unconnected
        AND NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id AND g.ended_at IS NULL AND g.expires_at > now())
        AND (NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id) OR COALESCE(c.last_used_at, c.created_at) < now() - unused);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;

  CREATE FUNCTION find_ended_oauth_grants(kept interval, after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT g.id FROM oauth_grants g
      WHERE g.id > after_id AND LEAST(COALESCE(g.ended_at, g.expires_at), g.expires_at) < now() - kept ORDER BY g.id LIMIT most;
    END;
  CREATE FUNCTION delete_ended_oauth_grants(kept interval, ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM oauth_grants g USING unnest(ids) old (id)
      WHERE g.id = old.id AND LEAST(COALESCE(g.ended_at, g.expires_at), g.expires_at) < now() - kept;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
