import type { Knex } from 'knex';

export const name = '0014-receipts';

/**
 * Receipts that can be verified. Evidence, attempts and resolutions of an effect are entries of one chain. The database appends
 * an entry for each, with a hash over the record and the entry before. `receipt_chains` keeps the end of each chain, so that an
 * entry that was cut off the end is missed too; its row lock serializes the writers of one chain.
 *
 * An attempt changes while it runs, so its row is not hashed. Its start, claim and end are, each once: nothing that an entry
 * contains changes afterwards, so the entries can be recomputed from the row at any time.
 *
 * The bytes are PostgreSQL's text of a `jsonb` value (docs/receipts.md). The database makes them, so that no writer can supply a
 * hash of something else, and makes them fast.
 *
 * These guards are for the owner of the tables. The application's role has no right to change them anyway.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(CHAIN);
  await knex.raw(CONTENTS);
  await knex.raw(APPENDING);
  await knex.raw(NOTHING_IS_EMPTIED);
}

const CHAIN = `
  CREATE TABLE receipt_chains (
    effect_id text COLLATE "C" PRIMARY KEY REFERENCES effects,
    environment_id uuid NOT NULL REFERENCES environments,
    sequence integer NOT NULL, -- of the last entry
    hash text                  -- of the last entry
  ) WITH (fillfactor = 70);
  CALL make_tenant_table('receipt_chains', 'SELECT');

  CREATE TABLE receipt_entries (
    effect_id text COLLATE "C" NOT NULL REFERENCES effects,
    sequence integer NOT NULL,
    environment_id uuid NOT NULL REFERENCES environments,
    kind text NOT NULL CHECK (kind IN ('evidence', 'attempt_started', 'attempt_claimed', 'attempt_ended', 'late_answer', 'resolution')),
    record_id text COLLATE "C" NOT NULL, -- of the evidence, the attempt (its late answer has no other) or the resolution
    previous_hash text,
    hash text NOT NULL,
    PRIMARY KEY (effect_id, sequence),
    UNIQUE (record_id, kind)
  );
  CALL make_tenant_table('receipt_entries', 'SELECT');
`;

const CONTENTS = `
  CREATE FUNCTION receipt_time(t timestamptz) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

  CREATE FUNCTION receipt_digest(content jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN 'sha256:' || encode(sha256(convert_to(content::text, 'UTF8')), 'hex');

  CREATE FUNCTION receipt_content(e evidence) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('id', e.id, 'source', e.source, 'observedAt', receipt_time(e.observed_at),
      'impliedOutcome', e.implied_outcome, 'providerIds', e.provider_ids, 'summary', e.summary, 'details', e.details,
      'actor', jsonb_build_object('type', e.actor_type, 'id', e.actor_id), 'recordedAt', receipt_time(e.recorded_at));

  -- The final part of an attempt, as of each entry.
  CREATE FUNCTION receipt_content(a attempts, kind text) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN CASE kind
      WHEN 'attempt_started' THEN jsonb_build_object('id', a.id, 'number', a.number, 'kind', a.kind,
        'secretVersions', a.secret_versions, 'startedAt', receipt_time(a.started_at))
      WHEN 'attempt_claimed' THEN jsonb_build_object('id', a.id, 'claimedAt', receipt_time(a.claimed_at))
      WHEN 'attempt_ended' THEN jsonb_build_object('id', a.id, 'status', a.status, 'observedOutcome', a.observed_outcome,
        'refusal', a.refusal, 'error', a.error, 'responseDigest', receipt_digest(a.response),
        'finishedAt', receipt_time(a.finished_at))
      END;

  CREATE FUNCTION receipt_content(l late_answers) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('id', l.attempt_id, 'observedOutcome', l.observed_outcome, 'error', l.error,
      'responseDigest', receipt_digest(l.response), 'recordedAt', receipt_time(l.recorded_at));

  CREATE FUNCTION receipt_content(r resolutions) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('id', r.id, 'outcome', r.outcome, 'previousOutcome', r.previous_outcome,
      'partialEffect', r.partial_effect, 'settledImpact', r.settled_impact,
      'evidence', jsonb_build_object('summary', r.summary, 'providerIds', r.provider_ids, 'url', r.url),
      'resolvedBy', r.resolved_by, 'resolvedAt', receipt_time(r.resolved_at));

  CREATE FUNCTION receipt_hash(e receipt_entries, content jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN receipt_digest(jsonb_build_array(e.previous_hash, e.environment_id, e.effect_id, e.sequence, e.kind, content));
`;

const APPENDING = `
  CREATE PROCEDURE append_receipt_entry(effect text, environment uuid, entry_kind text, record text, content jsonb)
    LANGUAGE plpgsql AS $$
  DECLARE
    last receipt_chains;
    entry receipt_entries;
  BEGIN
    SELECT * INTO last FROM receipt_chains WHERE effect_id = effect FOR UPDATE; -- one writer of a chain at a time
    IF NOT FOUND THEN
      INSERT INTO receipt_chains (effect_id, environment_id, sequence) VALUES (effect, environment, 0) ON CONFLICT DO NOTHING;
      SELECT * INTO STRICT last FROM receipt_chains WHERE effect_id = effect FOR UPDATE;
    END IF;
    entry := ROW(effect, last.sequence + 1, environment, entry_kind, record, last.hash, '');
    entry.hash := receipt_hash(entry, content);
    INSERT INTO receipt_entries VALUES (entry.*);
    UPDATE receipt_chains SET sequence = entry.sequence, hash = entry.hash WHERE effect_id = effect;
  END $$;
  REVOKE ALL ON PROCEDURE append_receipt_entry(text, uuid, text, text, jsonb) FROM PUBLIC;

  -- The two entries of an attempt that is claimed as it is made, in one row of the chain where it begins the receipt.
  CREATE PROCEDURE begin_receipt(effect text, a attempts) LANGUAGE plpgsql AS $$
  DECLARE
    started receipt_entries := ROW(effect, 1, a.environment_id, 'attempt_started', a.id, NULL, '');
    claimed receipt_entries;
  BEGIN
    started.hash := receipt_hash(started, receipt_content(a, 'attempt_started'));
    claimed := ROW(effect, 2, a.environment_id, 'attempt_claimed', a.id, started.hash, '');
    claimed.hash := receipt_hash(claimed, receipt_content(a, 'attempt_claimed'));
    INSERT INTO receipt_chains (effect_id, environment_id, sequence, hash) VALUES (effect, a.environment_id, 2, claimed.hash);
    INSERT INTO receipt_entries VALUES (started.*), (claimed.*);
  END $$;
  REVOKE ALL ON PROCEDURE begin_receipt(text, attempts) FROM PUBLIC;

  -- With the rights of the tables' owner: the application appends records, and a trigger appends their entries.
  CREATE FUNCTION chain_evidence() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  BEGIN
    CALL append_receipt_entry(NEW.effect_id, NEW.environment_id, 'evidence', NEW.id, receipt_content(NEW));
    RETURN NULL;
  END $$;

  -- An attempt of a plain invocation has no effect, and so no receipt.
  CREATE FUNCTION chain_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    effect text;
    entry_kind text;
    was_claimed boolean := TG_OP = 'UPDATE' AND OLD.claimed_at IS NOT NULL;
  BEGIN
    SELECT id INTO effect FROM effects WHERE invocation_id = NEW.invocation_id;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF TG_OP = 'INSERT' AND NEW.claimed_at IS NOT NULL AND NOT EXISTS (SELECT FROM receipt_chains c WHERE c.effect_id = effect) THEN
      CALL begin_receipt(effect, NEW);
      RETURN NULL;
    END IF;
    FOREACH entry_kind IN ARRAY array_remove(ARRAY[
        CASE WHEN TG_OP = 'INSERT' THEN 'attempt_started' END,
        CASE WHEN NEW.claimed_at IS NOT NULL AND NOT was_claimed THEN 'attempt_claimed' END,
        CASE WHEN NEW.status <> 'started' THEN 'attempt_ended' END], NULL) LOOP
      CALL append_receipt_entry(effect, NEW.environment_id, entry_kind, NEW.id, receipt_content(NEW, entry_kind));
    END LOOP;
    RETURN NULL;
  END $$;

  CREATE FUNCTION chain_late_answer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE effect text;
  BEGIN
    SELECT e.id INTO effect FROM effects e JOIN attempts a ON a.invocation_id = e.invocation_id WHERE a.id = NEW.attempt_id;
    IF NOT FOUND THEN RETURN NULL; END IF;
    CALL append_receipt_entry(effect, NEW.environment_id, 'late_answer', NEW.attempt_id, receipt_content(NEW));
    RETURN NULL;
  END $$;

  CREATE FUNCTION chain_resolution() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  BEGIN
    CALL append_receipt_entry(NEW.effect_id, NEW.environment_id, 'resolution', NEW.id, receipt_content(NEW));
    RETURN NULL;
  END $$;
  REVOKE ALL ON FUNCTION chain_evidence(), chain_attempt(), chain_late_answer(), chain_resolution() FROM PUBLIC;

  -- After the row is written: the hash covers the row as stored, after any earlier trigger.
  CREATE TRIGGER chain AFTER INSERT ON evidence FOR EACH ROW EXECUTE FUNCTION chain_evidence();
  CREATE TRIGGER chain AFTER INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION chain_attempt();
  CREATE TRIGGER chain AFTER INSERT ON late_answers FOR EACH ROW EXECUTE FUNCTION chain_late_answer();
  CREATE TRIGGER chain AFTER INSERT ON resolutions FOR EACH ROW WHEN (NEW.effect_id IS NOT NULL) EXECUTE FUNCTION chain_resolution();
`;

const NOTHING_IS_EMPTIED = `
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON receipt_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
  -- The end of a chain advances by one entry, and in no other way.
  CREATE TRIGGER moves_on BEFORE UPDATE ON receipt_chains FOR EACH ROW
    WHEN (NEW.sequence <> OLD.sequence + 1 OR NEW.hash IS NULL OR NEW.effect_id <> OLD.effect_id OR NEW.environment_id <> OLD.environment_id)
    EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER stays BEFORE DELETE ON receipt_chains FOR EACH ROW EXECUTE FUNCTION refuse_change();

  -- Row triggers do not see TRUNCATE.
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON evidence EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON attempts EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON late_answers EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON resolutions EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON receipt_entries EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON receipt_chains EXECUTE FUNCTION refuse_change();
`;
