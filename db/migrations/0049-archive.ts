import type { Knex } from 'knex';
import { ARCHIVE_RECORDS } from './archive-records.ts';
import { COUNTED, countingFunctionOf } from './analytics-facts.ts';

export const name = '0049-archive';

/**
 * `npm run archive` moves old invocations into files (docs/adr/0022). `operation_keys` keeps the operation key of each, and never deletes
 * one. The fence of an invocation is the unique index of `invocations` until then, and the primary key of `operation_keys` afterwards.
 *
 * A row of `operation_keys` is the one permission to delete. Its trigger derives it from the invocation, and refuses what is not at rest, or
 * ended less than 400 days ago; a trigger at the commit refuses it where the invocation is still there. So whoever deletes a record must have
 * archived its whole invocation in the same transaction, the owner of the tables too. The foreign keys keep what another record refers to.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(OPERATION_KEYS);
  await knex.raw(ARCHIVE_RECORDS);
  await knex.raw(REFUSAL);
  await knex.raw(GUARDS_OF_KEYS);
  await knex.raw(GUARDS_OF_RECORDS);
  await knex.raw(FACTS);
  await knex.raw(REFERENCES_WITHOUT_AN_INDEX);
  await knex.raw(ARCHIVE);
}

const OPERATION_KEYS = `
  CREATE TABLE operation_keys (
    environment_id uuid NOT NULL REFERENCES environments,
    operation_key text NOT NULL,
    invocation_id text COLLATE "C" NOT NULL UNIQUE, -- no reference: it is gone
    effect_id text COLLATE "C" UNIQUE,
    request_digest text NOT NULL,
    status text NOT NULL,
    grade text NOT NULL,
    settled_at timestamptz(3) NOT NULL,
    archived_at timestamptz(3) NOT NULL DEFAULT now(),
    archive text NOT NULL CHECK (archive ~ '^[0-9a-f-]{36}/[0-9]{4}-[0-9]{2}-[0-9]{1,6}$'), -- the name of its file
    PRIMARY KEY (environment_id, operation_key)
  );
  CALL make_tenant_table('operation_keys', 'SELECT');
  -- The sweep deletes free-standing approvals, whose triggers ask whether one is archived.
  CREATE POLICY directory ON operation_keys FOR SELECT TO service_directory USING (true);
  GRANT SELECT (invocation_id) ON operation_keys TO service_directory;

  CREATE FUNCTION is_archived(invocation text) RETURNS boolean LANGUAGE sql STABLE
    RETURN EXISTS (SELECT FROM operation_keys k WHERE k.invocation_id = invocation);
  CREATE FUNCTION is_archived_effect(effect text) RETURNS boolean LANGUAGE sql STABLE
    RETURN EXISTS (SELECT FROM operation_keys k WHERE k.effect_id = effect);
  CREATE FUNCTION is_archived_attempt(attempt text) RETURNS boolean LANGUAGE sql STABLE
    RETURN EXISTS (SELECT FROM attempts a JOIN operation_keys k ON k.invocation_id = a.invocation_id WHERE a.id = attempt);
  CREATE FUNCTION is_archived_approval(approval text) RETURNS boolean LANGUAGE sql STABLE
    RETURN EXISTS (SELECT FROM approvals a JOIN operation_keys k ON k.invocation_id = a.invocation_id WHERE a.id = approval);
`;

const REFUSAL = `
  -- When the last thing happened to an invocation that analytics, billing or its receipt date.
  CREATE FUNCTION end_of_invocation(i invocations) RETURNS timestamptz LANGUAGE sql STABLE
    RETURN GREATEST(i.settled_at, i.updated_at,
      (SELECT GREATEST(e.updated_at, e.outcome_at, e.known_at) FROM effects e WHERE e.invocation_id = i.id),
      (SELECT max(v.recorded_at) FROM effects e JOIN evidence v ON v.effect_id = e.id WHERE e.invocation_id = i.id),
      (SELECT max(GREATEST(a.finished_at, l.recorded_at)) FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
       WHERE a.invocation_id = i.id),
      (SELECT a.decided_at FROM approvals a WHERE a.invocation_id = i.id),
      (SELECT max(l.at) FROM late_executions l WHERE l.invocation_id = i.id));

  -- Why an invocation may not leave the database; null where it may. Months are closed one after the other.
  CREATE FUNCTION refusal_to_archive(i invocations, ended_before timestamptz) RETURNS text LANGUAGE sql STABLE
    RETURN CASE
      WHEN i.settled_at IS NULL OR i.status NOT IN ('succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled') THEN 'not_at_rest'
      WHEN EXISTS (SELECT FROM effects e WHERE e.invocation_id = i.id
        AND (e.stage NOT IN ('settled', 'rejected') OR e.reconcile_next_at IS NOT NULL)) THEN 'not_at_rest'
      WHEN EXISTS (SELECT FROM attempts a WHERE a.invocation_id = i.id AND a.status = 'started') THEN 'not_at_rest'
      WHEN EXISTS (SELECT FROM approvals a WHERE a.invocation_id = i.id AND a.status = 'pending') THEN 'not_at_rest'
      WHEN EXISTS (SELECT FROM workflow_starts w WHERE w.id = ANY (ARRAY[i.id] || ARRAY(SELECT e.id FROM effects e WHERE e.invocation_id = i.id)
        || ARRAY(SELECT a.id FROM approvals a WHERE a.invocation_id = i.id))) THEN 'not_at_rest'
      WHEN EXISTS (SELECT FROM effects e JOIN impact_reservations r ON r.effect_id = e.id
        WHERE e.invocation_id = i.id AND r.state = 'reserved') THEN 'reserved'
      WHEN EXISTS (SELECT FROM budget_reservations b WHERE b.invocation_id = i.id AND b.state = 'reserved') THEN 'reserved'
      WHEN EXISTS (SELECT FROM file_holds h WHERE h.invocation_id = i.id) THEN 'reserved'
      WHEN end_of_invocation(i) >= ended_before THEN 'too_young'
      WHEN (SELECT COALESCE((SELECT max(b.month) + interval '1 month' FROM billing_months b WHERE b.workspace_id = w.id AND b.closed_at IS NOT NULL),
          date_trunc('month', w.created_at AT TIME ZONE 'UTC')) > date_trunc('month', end_of_invocation(i) AT TIME ZONE 'UTC')
        FROM environments n JOIN workspaces w ON w.id = n.workspace_id WHERE n.id = i.environment_id) IS NOT TRUE THEN 'month_not_closed'
    END;

  -- The invocations whose records refer to those of this one; the id that a preview reserved, where a preview does.
  CREATE FUNCTION referrers_of(i invocations) RETURNS text[] LANGUAGE sql STABLE
    RETURN ARRAY(
      SELECT r.id FROM invocations r WHERE r.retry_of = i.id
      UNION SELECT r.id FROM effects e JOIN invocations r ON r.compensates = e.id WHERE e.invocation_id = i.id
      UNION SELECT r.invocation_id FROM effects e JOIN effects r ON r.compensates = e.id WHERE e.invocation_id = i.id
      UNION SELECT d.invocation_id FROM effects e JOIN effect_dependencies d ON d.depends_on = e.id WHERE e.invocation_id = i.id
      UNION SELECT p.invocation_id FROM previews p WHERE p.retry_of = i.id
      UNION SELECT p.invocation_id FROM effects e JOIN previews p ON p.compensates = e.id WHERE e.invocation_id = i.id
      UNION SELECT p.invocation_id FROM previews o JOIN previews p ON p.supersedes = o.id WHERE o.invocation_id = i.id);
`;

const GUARDS_OF_KEYS = `
  CREATE FUNCTION check_archival() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    invocation invocations;
    refusal text;
  BEGIN
    SELECT * INTO invocation FROM invocations i WHERE i.id = NEW.invocation_id AND i.environment_id = NEW.environment_id FOR UPDATE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'invocation % is not there to be archived', NEW.invocation_id USING ERRCODE = 'check_violation';
    END IF;
    -- Days of UTC: those of another time zone may be longer by an hour.
    refusal := refusal_to_archive(invocation, now() - interval '9600 hours');
    IF refusal IS NOT NULL THEN
      RAISE EXCEPTION 'invocation % is not archived: %', NEW.invocation_id, refusal USING ERRCODE = 'check_violation';
    END IF;
    SELECT invocation.operation_key, e.id, invocation.request_digest, invocation.status, COALESCE(e.grade, invocation.grade), invocation.settled_at, now()
      INTO NEW.operation_key, NEW.effect_id, NEW.request_digest, NEW.status, NEW.grade, NEW.settled_at, NEW.archived_at
      FROM (SELECT) one LEFT JOIN effects e ON e.invocation_id = invocation.id;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_archival BEFORE INSERT ON operation_keys FOR EACH ROW EXECUTE FUNCTION check_archival();

  CREATE FUNCTION require_archived() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM invocations i WHERE i.id = NEW.invocation_id) THEN
      RAISE EXCEPTION 'invocation % was archived and is still there', NEW.invocation_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER require_archived AFTER INSERT ON operation_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION require_archived();
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON operation_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON operation_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- The fence. It looks after the row is in the unique index and not before: an insert that met the row of an archival under way waited there
  -- until that committed. At READ COMMITTED this look sees what was committed meanwhile; at another level it would not.
  CREATE FUNCTION refuse_archived_key() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE archived operation_keys;
  BEGIN
    SELECT * INTO archived FROM operation_keys k WHERE k.environment_id = NEW.environment_id AND k.operation_key = NEW.operation_key;
    IF FOUND THEN
      RAISE EXCEPTION 'the operation key of invocation % belongs to %, which is archived', NEW.id, archived.invocation_id USING ERRCODE = 'SC002',
        DETAIL = to_jsonb(archived)::text;
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'invocations are admitted at READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER refuse_archived_key AFTER INSERT ON invocations FOR EACH ROW EXECUTE FUNCTION refuse_archived_key();
`;

/** The triggers that refuse a DELETE, by their tables: each lets go what is archived. `on`: for what else it stands, as before. */
const KEPT_BY: readonly { table: string; trigger: string; runs: string; on: string | null; archived: string }[] = [
  ...['invocations', 'effects', 'attempts'].map((table) => ({
    table,
    trigger: 'check_move',
    runs: `check_${table.slice(0, -1)}_move`,
    on: 'INSERT OR UPDATE',
    archived: `is_archived(OLD.${table === 'invocations' ? 'id' : 'invocation_id'})`,
  })),
  {
    table: 'impact_reservations',
    trigger: 'check_move',
    runs: 'check_reservation_move',
    on: 'UPDATE',
    archived: 'is_archived_effect(OLD.effect_id)',
  },
  {
    table: 'budget_reservations',
    trigger: 'count_reservation',
    runs: 'count_budget_reservation',
    on: 'INSERT OR UPDATE',
    archived: 'is_archived(OLD.invocation_id)',
  },
  ...['observations', 'resolutions', 'late_executions'].map((table) => ({
    table,
    trigger: 'append_only',
    runs: 'refuse_change',
    on: 'UPDATE',
    archived: 'is_archived(OLD.invocation_id)',
  })),
  ...['evidence', 'receipt_entries'].map((table) => ({
    table,
    trigger: 'append_only',
    runs: 'refuse_change',
    on: 'UPDATE',
    archived: 'is_archived_effect(OLD.effect_id)',
  })),
  {
    table: 'late_answers',
    trigger: 'append_only',
    runs: 'refuse_change',
    on: 'UPDATE',
    archived: 'is_archived_attempt(OLD.attempt_id)',
  },
  {
    table: 'receipt_chains',
    trigger: 'stays',
    runs: 'refuse_change',
    on: null,
    archived: 'is_archived_effect(OLD.effect_id)',
  },
  {
    table: 'approvals',
    trigger: 'keep',
    runs: 'keep_approval',
    on: null,
    archived: 'is_archived(OLD.invocation_id)',
  },
  {
    table: 'approval_decisions',
    trigger: 'keep',
    runs: 'keep_approval_decision',
    on: null,
    archived: 'is_archived_approval(OLD.approval_id)',
  },
];

const GUARDS_OF_RECORDS = KEPT_BY.map(({ table, trigger, runs, on, archived }) =>
  [
    ...(on === null
      ? []
      : [`CREATE OR REPLACE TRIGGER ${trigger} BEFORE ${on} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${runs}();`]),
    `CREATE OR REPLACE TRIGGER ${on === null ? trigger : 'stays'} BEFORE DELETE ON ${table} FOR EACH ROW WHEN (NOT ${archived}) EXECUTE FUNCTION ${runs}();`,
  ].join('\n  '),
).join('\n  ');

/**
 * PostgreSQL looks for what refers to each row that is deleted. Compensations are few, so their indexes cost the others nothing. Each governed
 * invocation names its effect, so a trigger is in the place of that foreign key: it looks by the effect's id, and an effect goes only with its
 * invocation.
 */
const REFERENCES_WITHOUT_AN_INDEX = `
  CREATE INDEX invocations_compensating ON invocations (compensates) WHERE compensates IS NOT NULL;
  CREATE INDEX effects_compensating ON effects (compensates) WHERE compensates IS NOT NULL;
  CREATE INDEX previews_compensating ON previews (compensates) WHERE compensates IS NOT NULL;

  ALTER TABLE invocations DROP CONSTRAINT invocations_effect_id_fkey;
  CREATE FUNCTION check_effect_of_invocation() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM effects e WHERE e.id = NEW.effect_id AND e.invocation_id = NEW.id) THEN
      RAISE EXCEPTION '% is no effect of invocation %', NEW.effect_id, NEW.id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER check_effect_made AFTER INSERT ON invocations FOR EACH ROW WHEN (NEW.effect_id IS NOT NULL)
    EXECUTE FUNCTION check_effect_of_invocation();
  CREATE TRIGGER check_effect_named AFTER UPDATE OF effect_id ON invocations FOR EACH ROW
    WHEN (NEW.effect_id IS NOT NULL AND NEW.effect_id IS DISTINCT FROM OLD.effect_id) EXECUTE FUNCTION check_effect_of_invocation();
`;

/** What was counted of an archived invocation stays counted. */
const FACTS = COUNTED.filter(({ table }) => table === 'invocations')
  .map((counted) => countingFunctionOf(counted, '(SELECT * FROM removed o WHERE NOT is_archived(o.id))'))
  .join('');

const ARCHIVE = `
  -- Archives invocations of the environment of the transaction and deletes their records, whose digests the caller has from a file that was read
  -- back. The owner's alone: it deletes what the application may not.
  CREATE FUNCTION archive_invocations(ids text[], digests text[], in_archive text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    effect_ids text[];
    approval_ids text[];
    attempt_ids text[];
    differing text;
  BEGIN
    PERFORM FROM invocations i WHERE i.id = ANY (ids) ORDER BY i.id FOR UPDATE;
    approval_ids := ARRAY(SELECT a.id FROM approvals a WHERE a.invocation_id = ANY (ids) ORDER BY a.id FOR UPDATE);
    effect_ids := ARRAY(SELECT e.id FROM effects e WHERE e.invocation_id = ANY (ids) ORDER BY e.id FOR UPDATE);
    attempt_ids := ARRAY(SELECT a.id FROM attempts a WHERE a.invocation_id = ANY (ids));
    SELECT d.id INTO differing FROM unnest(ids, digests) d (id, digest)
    WHERE d.digest IS DISTINCT FROM (SELECT receipt_digest(archive_record(i)) FROM invocations i
      WHERE i.id = d.id AND i.environment_id = current_environment_id()) LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'invocation % is not what the archive says', differing USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO operation_keys (environment_id, invocation_id, archive)
      SELECT current_environment_id(), i.id, in_archive FROM unnest(ids) i (id);
    -- One statement: its rows refer to each other in circles, and foreign keys are looked at behind it.
    WITH a AS (DELETE FROM late_answers WHERE attempt_id = ANY (attempt_ids)),
      b AS (DELETE FROM attempts WHERE id = ANY (attempt_ids)),
      c AS (DELETE FROM evidence WHERE effect_id = ANY (effect_ids)),
      d AS (DELETE FROM receipt_entries WHERE effect_id = ANY (effect_ids)),
      e AS (DELETE FROM receipt_chains WHERE effect_id = ANY (effect_ids)),
      f AS (DELETE FROM impact_reservations WHERE effect_id = ANY (effect_ids)),
      g AS (DELETE FROM budget_reservations WHERE invocation_id = ANY (ids)),
      h AS (DELETE FROM observations WHERE invocation_id = ANY (ids)),
      j AS (DELETE FROM resolutions WHERE invocation_id = ANY (ids)),
      k AS (DELETE FROM late_executions WHERE invocation_id = ANY (ids)),
      l AS (DELETE FROM effect_dependencies WHERE invocation_id = ANY (ids)),
      m AS (DELETE FROM chat_posts WHERE approval_id = ANY (approval_ids)),
      n AS (DELETE FROM approval_decisions WHERE approval_id = ANY (approval_ids)),
      o AS (DELETE FROM approvals WHERE id = ANY (approval_ids)),
      p AS (DELETE FROM effects WHERE id = ANY (effect_ids)),
      q AS (DELETE FROM previews WHERE invocation_id = ANY (ids))
    DELETE FROM invocations WHERE id = ANY (ids);
  END $$;
  REVOKE ALL ON FUNCTION archive_invocations(text[], text[], text) FROM PUBLIC;
`;
