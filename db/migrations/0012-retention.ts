import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0012-retention';

/**
 * How long unused previews and free-standing approvals are kept, and how they are counted.
 *
 * `unused_previews` has a row for each preview of a caller that no invocation names. Only triggers write it. The count of live
 * previews and the search for old ones then cost the same however many previews were used.
 *
 * A preview is deleted 30 days after it expired, if nothing refers to it. A free-standing approval is deleted with its decisions
 * 90 days after it was decided and expired; the audit log keeps its entries. Triggers enforce both for the owner of the tables
 * too, and the application deletes only through two functions. A chain of refreshed previews is deleted from its newest link on.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UNUSED_PREVIEWS);
  await knex.raw(KEEPING);
  await makeDirectoryFunctions(knex, OLD_PREVIEWS, ['find_old_previews(text, integer)', 'delete_old_previews(text[])']);
  await makeDirectoryFunctions(knex, OLD_APPROVALS, [
    'find_old_approvals(text, integer)',
    'delete_old_approvals(text[])',
  ]);
}

const UNUSED_PREVIEWS = `
  CREATE TABLE unused_previews (
    preview_id text COLLATE "C" PRIMARY KEY REFERENCES previews ON DELETE CASCADE,
    environment_id uuid NOT NULL REFERENCES environments,
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX unused_previews_live ON unused_previews (environment_id, expires_at);
  CREATE INDEX unused_previews_old ON unused_previews (expires_at);
  CALL make_tenant_table('unused_previews', 'SELECT');

  CREATE FUNCTION keep_unused_preview() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      INSERT INTO unused_previews (preview_id, environment_id, expires_at) VALUES (NEW.id, NEW.environment_id, NEW.expires_at);
      RETURN NULL;
    END $$;
  -- An admission that is withdrawn frees its preview.
  CREATE FUNCTION move_unused_preview() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        DELETE FROM unused_previews WHERE preview_id = NEW.preview_id;
      ELSE
        INSERT INTO unused_previews (preview_id, environment_id, expires_at)
        SELECT id, environment_id, expires_at FROM previews WHERE id = OLD.preview_id AND made_by = 'caller'
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END $$;
  REVOKE ALL ON FUNCTION keep_unused_preview() FROM PUBLIC;
  REVOKE ALL ON FUNCTION move_unused_preview() FROM PUBLIC;
  CREATE TRIGGER keep_unused AFTER INSERT ON previews FOR EACH ROW
    WHEN (NEW.made_by = 'caller') EXECUTE FUNCTION keep_unused_preview();
  CREATE TRIGGER take_preview AFTER INSERT ON invocations FOR EACH ROW
    WHEN (NEW.preview_id IS NOT NULL) EXECUTE FUNCTION move_unused_preview();
  CREATE TRIGGER free_preview AFTER DELETE ON invocations FOR EACH ROW
    WHEN (OLD.preview_id IS NOT NULL) EXECUTE FUNCTION move_unused_preview();
`;

const KEEPING = `
  -- Foreign keys keep a preview that an invocation, an effect, an approval or a successor names.
  CREATE FUNCTION keep_preview() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.expires_at < now() - interval '30 days' THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'previews are append-only: % goes 30 days after it expired', OLD.id USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER keep BEFORE DELETE ON previews FOR EACH ROW EXECUTE FUNCTION keep_preview();

  CREATE FUNCTION keep_approval() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.kind = 'free_standing' AND OLD.decided_at < now() - interval '90 days' AND OLD.expires_at < now() - interval '90 days' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'approval % is never deleted: a free-standing one goes 90 days after its end', OLD.id USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER keep BEFORE DELETE ON approvals FOR EACH ROW EXECUTE FUNCTION keep_approval();

  CREATE FUNCTION keep_approval_decision() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM approvals a WHERE a.id = OLD.approval_id AND a.kind = 'free_standing'
        AND a.decided_at < now() - interval '90 days' AND a.expires_at < now() - interval '90 days') THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'decisions are append-only: they go with approval %', OLD.approval_id USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER keep BEFORE DELETE ON approval_decisions FOR EACH ROW EXECUTE FUNCTION keep_approval_decision();
`;

const OLD_PREVIEWS = `
  CREATE POLICY directory ON unused_previews FOR SELECT TO service_directory USING (true);
  GRANT SELECT (preview_id, expires_at) ON unused_previews TO service_directory;
  CREATE POLICY directory ON previews FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory_retention ON previews FOR DELETE TO service_directory USING (expires_at < now() - interval '30 days');
  GRANT SELECT (id, supersedes, expires_at), DELETE ON previews TO service_directory;
  CREATE POLICY directory ON effects FOR SELECT TO service_directory USING (true);
  GRANT SELECT (preview_id) ON invocations, effects, approvals TO service_directory;

  CREATE FUNCTION find_old_previews(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT u.preview_id FROM unused_previews u
      WHERE u.preview_id > after_id AND u.expires_at < now() - interval '30 days'
        AND NOT EXISTS (SELECT FROM previews p WHERE p.supersedes = u.preview_id)
        AND NOT EXISTS (SELECT FROM invocations i WHERE i.preview_id = u.preview_id)
        AND NOT EXISTS (SELECT FROM approvals a WHERE a.preview_id = u.preview_id)
      ORDER BY u.preview_id LIMIT most;
    END;
  -- A transaction that uses or supersedes a preview holds its lock; such a preview is left for the next sweep.
  CREATE FUNCTION delete_old_previews(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      one text;
      deleted integer := 0;
    BEGIN
      FOREACH one IN ARRAY ids LOOP
        IF pg_try_advisory_xact_lock(preview_lock_of(one)) THEN
          DELETE FROM previews p WHERE p.id = one AND p.expires_at < now() - interval '30 days'
            AND NOT EXISTS (SELECT FROM previews s WHERE s.supersedes = one)
            AND NOT EXISTS (SELECT FROM invocations i WHERE i.preview_id = one);
          IF FOUND THEN deleted := deleted + 1; END IF;
        END IF;
      END LOOP;
      RETURN deleted;
    END $$;
`;

const OLD_APPROVALS = `
  CREATE POLICY directory_retention ON approvals FOR DELETE TO service_directory
    USING (kind = 'free_standing' AND decided_at < now() - interval '90 days' AND expires_at < now() - interval '90 days');
  GRANT SELECT (kind), DELETE ON approvals TO service_directory;
  CREATE POLICY directory ON approval_decisions FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory_retention ON approval_decisions FOR DELETE TO service_directory USING (true); -- the trigger looks at the approval
  GRANT SELECT (approval_id), DELETE ON approval_decisions TO service_directory;

  -- An approval whose workflow has not seen its end is left: the sweep wakes the workflow first.
  CREATE FUNCTION find_old_approvals(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT a.id FROM approvals a
      WHERE a.id > after_id AND a.kind = 'free_standing' AND a.status <> 'pending' AND a.awaited_status = a.status
        AND a.decided_at < now() - interval '90 days' AND a.expires_at < now() - interval '90 days'
      ORDER BY a.id LIMIT most;
    END;
  CREATE FUNCTION delete_old_approvals(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM approval_decisions d WHERE d.approval_id = ANY (ids);
      DELETE FROM approvals a WHERE a.id = ANY (ids);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
