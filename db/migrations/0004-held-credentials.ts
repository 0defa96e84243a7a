import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0004-held-credentials';

/**
 * A credential holds until the commit of what it asked for. The transaction of a change begins by checking its key, or its
 * session and membership, once more, and takes a shared advisory lock of each until its end. A revocation takes the lock
 * exclusively. It therefore waits for the changes in flight, and whatever begins after it is refused with SC001.
 *
 * FOR SHARE on the rows would not do, for the reasons in 0015-audit-and-halt: sharers can overtake a waiting writer indefinitely,
 * so that a key that floods the service could not be revoked, and each sharer writes the row (and a multixact) of the busiest
 * key.
 *
 * `service_directory` owns the functions, because a session's row belongs to its user and the transaction names an environment.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(LOCKS);
  await makeDirectoryFunctions(knex, HOLD, ['hold_api_key(text)', 'hold_session(text, text, uuid, text)']);
}

const LOCKS = `
  CREATE FUNCTION credential_lock_of(credential text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(credential, 1668441444); -- 'cred'

  CREATE FUNCTION end_api_key_use() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.id));
    RETURN NEW;
  END $$;
  CREATE TRIGGER end_use BEFORE UPDATE OF revoked_at ON api_keys FOR EACH ROW
    WHEN (NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) EXECUTE FUNCTION end_api_key_use();

  CREATE FUNCTION end_session_use() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.id));
    PERFORM pg_notify('session_ended', OLD.id); -- ends what the session watches
    RETURN OLD;
  END $$;
  CREATE TRIGGER end_use BEFORE DELETE ON sign_in_sessions FOR EACH ROW EXECUTE FUNCTION end_session_use();

  CREATE FUNCTION end_membership_use() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.workspace_id || '/' || OLD.user_id));
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END $$;
  CREATE TRIGGER end_use BEFORE UPDATE OF role OR DELETE ON members FOR EACH ROW EXECUTE FUNCTION end_membership_use();
`;

/** VOLATILE: each read after a lock has its own snapshot, which contains what was committed during the wait. */
const HOLD = `
  CREATE FUNCTION hold_api_key(of_key text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_key));
      PERFORM FROM api_keys k
        WHERE k.id = of_key AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp());
      IF NOT FOUND THEN RAISE EXCEPTION 'the API key ended' USING ERRCODE = 'SC001'; END IF;
    END $$;

  CREATE FUNCTION hold_session(of_session text, of_user text, of_workspace uuid, with_role text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_session));
      PERFORM FROM sign_in_sessions s
        WHERE s.id = of_session AND s.user_id = of_user AND s.expires_at > clock_timestamp();
      IF NOT FOUND THEN RAISE EXCEPTION 'the session ended' USING ERRCODE = 'SC001'; END IF;
      IF of_workspace IS NULL THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_workspace || '/' || of_user));
      PERFORM FROM members m WHERE m.workspace_id = of_workspace AND m.user_id = of_user AND m.role = with_role;
      IF NOT FOUND THEN RAISE EXCEPTION 'the membership ended or changed' USING ERRCODE = 'SC001'; END IF;
    END $$;
`;
