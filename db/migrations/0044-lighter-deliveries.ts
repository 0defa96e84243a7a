import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0044-lighter-deliveries';

/**
 * What a delivery writes while it asks for its permit: one version of the row in `in_flight_permits` where there were two, and its place
 * in the queue in the transaction that accepts it.
 *
 * A row of `in_flight_permits` lives for one call, and every call leaves two or three dead ones. Autovacuum would let a fifth of the largest
 * queue pile up first; it looks once a minute.
 *
 * The trigger that says how a message may begin ran for every row of a batch, an eighth of its INSERT's CPU time. Now it runs where the row
 * begins otherwise.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, ACQUIRE, ['acquire_permit(text, text, integer, interval)']);
  await makeDirectoryFunctions(knex, QUEUE, ['queue_behind_many(text, integer)']);
  await knex.raw(TRIGGERS);
  await knex.raw(
    'ALTER TABLE in_flight_permits SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)',
  );
}

/** As in 0021. The row is written once, as what the count of those ahead of it makes it. */
const ACQUIRE = `
  CREATE OR REPLACE FUNCTION acquire_permit(of_kind text, for_holder text, most integer, lease interval) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      since timestamptz;
      ahead integer;
      is_held boolean;
      -- A position beyond this is told as this one: nobody need count further.
      positions_max constant integer := 300;
    BEGIN
      -- Granted, or held already: it concerns no other asker.
      UPDATE in_flight_permits p SET granted_at = NULL, expires_at = clock_timestamp() + lease
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder
          AND p.is_taken AND p.expires_at > clock_timestamp();
      IF FOUND THEN
        RETURN 0;
      END IF;
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      -- One at a time: two that ask at once must not both get the last permit. Held until the claim commits.
      IF NOT pg_try_advisory_xact_lock(hashtextextended('permit/' || of_kind || '/' || of_workspace, 0)) THEN
        RETURN NULL;
      END IF;
      SELECT p.asked_at INTO since FROM in_flight_permits p
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
      since := COALESCE(since, clock_timestamp());
      SELECT count(*) INTO ahead FROM (
        SELECT FROM in_flight_permits p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.environment_id, p.holder) <> (of_environment, for_holder)
        UNION ALL (SELECT FROM in_flight_permits p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND NOT p.is_taken AND (p.asked_at, p.holder) < (since, for_holder)
          LIMIT most + positions_max)) before;
      -- It may have been granted since the first look.
      INSERT INTO in_flight_permits AS p (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
        VALUES (of_environment, of_workspace, of_kind, for_holder, since, ahead < most,
          CASE WHEN ahead < most THEN clock_timestamp() + lease ELSE 'infinity' END)
        ON CONFLICT (environment_id, kind, holder) DO UPDATE SET granted_at = NULL,
          is_taken = EXCLUDED.is_taken OR (p.is_taken AND p.expires_at > clock_timestamp()),
          expires_at = CASE WHEN p.is_taken AND p.expires_at > clock_timestamp() THEN clock_timestamp() + lease ELSE EXCLUDED.expires_at END
        RETURNING p.is_taken INTO is_held;
      RETURN CASE WHEN is_held THEN 0 ELSE ahead - most + 1 END;
    END $$;
`;

/**
 * Lets a message join the queue behind others, in the transaction that accepts it. False: nobody waits, and it is to be started. NULL: fewer
 * than \`many\` wait. The last release of those might come before the commit and find nobody, and the message would wait for the next look at
 * free permits; so it is asked for after the commit (\`queue_deliveries\`).
 */
const QUEUE = `
  CREATE FUNCTION queue_behind_many(for_holder text, many integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      waiting integer;
    BEGIN
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      SELECT count(*) INTO waiting FROM (SELECT FROM in_flight_permits p
        WHERE p.workspace_id = of_workspace AND p.kind = 'delivery' AND NOT p.is_taken LIMIT many) w;
      IF waiting < many THEN
        RETURN CASE WHEN waiting = 0 THEN false END;
      END IF;
      INSERT INTO in_flight_permits (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
        VALUES (of_environment, of_workspace, 'delivery', for_holder, clock_timestamp(), false, 'infinity')
        ON CONFLICT (environment_id, kind, holder) DO NOTHING;
      RETURN true;
    END $$;
`;

const TRIGGERS = `
  DROP TRIGGER check_move ON messages;
  CREATE TRIGGER check_move BEFORE UPDATE OR DELETE ON messages FOR EACH ROW EXECUTE FUNCTION check_message_move();
  CREATE TRIGGER check_begin BEFORE INSERT ON messages FOR EACH ROW
    WHEN (NEW.status NOT IN ('pending', 'scheduled')) EXECUTE FUNCTION check_message_move();
`;
