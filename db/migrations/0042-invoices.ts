import type { Knex } from 'knex';
import { DAILY_USAGE_CHECK, USAGE_CHECK_SIGNATURES, USAGE_CHECKS } from './usage-checks.ts';
import { makeDirectoryFunctions } from './directory-functions.ts';
import { leavingEventsOf } from './platform-events.ts';

export const name = '0042-invoices';

/**
 * What months cost, and what a workspace is told of its use.
 *
 * - `billing_months`: what a workspace used in a month, as it stood when the month was closed. `quantities` never changes.
 * - `invoices` and `invoice_lines`: made from it. A draft has no number; numbers are gapless for each workspace, because `invoice_numbers` is
 *   locked in the transaction that opens an invoice. Triggers refuse every change of an invoice that was opened but its way to `paid`,
 *   `void` or `uncollectible`.
 * - `late_executions`: executions that settled in another month than that of their admission, and those that a provider took back after they had
 *   settled. Both are rare. All other executions are billed in the month of their admission, and are counted there.
 * - `alert_targets`, `usage_crossings`: what a workspace wants to be told of, and what it was told, once for each threshold and month.
 * - `pending_plan_changes`: a change that a customer asked for, until the end of the month.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(LATE_EXECUTIONS);
  await knex.raw(INVOICES);
  await knex.raw(INVOICE_MOVES);
  await knex.raw(THRESHOLDS);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'count_executions(date, timestamptz)',
    'find_unclosed_months(text, integer)',
    'find_usage_crossings(jsonb, integer[], text, integer)',
    'find_alert_targets(text, integer)',
  ]);
  await makeDirectoryFunctions(knex, USAGE_CHECKS, USAGE_CHECK_SIGNATURES);
  await knex.raw(DAILY_USAGE_CHECK);
}

const ofWorkspace = (table: string, grants: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON ${table} USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT ${grants} ON ${table} TO service_app;`;

const appendOnly = (table: string): string => `
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change();`;

const LATE_EXECUTIONS = `
  CREATE TABLE late_executions (
    invocation_id text COLLATE "C" NOT NULL REFERENCES invocations,
    kind text NOT NULL CHECK (kind IN ('settled', 'reversed')),
    environment_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    admitted_at timestamptz(3) NOT NULL,
    settled_at timestamptz(3) NOT NULL,
    at timestamptz(3) NOT NULL, -- when it settled, or was reversed
    PRIMARY KEY (invocation_id, kind),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  CREATE INDEX late_executions_of_workspace ON late_executions (workspace_id, at);
  ${ofWorkspace('late_executions', 'SELECT, INSERT')}
  ${appendOnly('late_executions')}

  CREATE FUNCTION note_late_execution() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO late_executions (invocation_id, kind, environment_id, workspace_id, admitted_at, settled_at, at)
    SELECT NEW.id, TG_ARGV[0], e.id, e.workspace_id, NEW.created_at, NEW.settled_at,
      CASE TG_ARGV[0] WHEN 'settled' THEN NEW.settled_at ELSE NEW.updated_at END
    FROM environments e WHERE e.id = NEW.environment_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_late_settlement AFTER UPDATE OF settled_at ON invocations FOR EACH ROW
    WHEN (NEW.status = 'succeeded' AND NEW.settled_at IS NOT NULL AND OLD.settled_at IS NULL
      AND date_trunc('month', NEW.settled_at AT TIME ZONE 'UTC') <> date_trunc('month', NEW.created_at AT TIME ZONE 'UTC'))
    EXECUTE FUNCTION note_late_execution('settled');
  CREATE TRIGGER note_reversal AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (OLD.status = 'succeeded' AND NEW.status = 'failed' AND NEW.settled_at IS NOT NULL)
    EXECUTE FUNCTION note_late_execution('reversed');
`;

const INVOICES = `
  CREATE TABLE billing_months (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    month date NOT NULL CHECK (extract(day FROM month) = 1),
    plan text NOT NULL, -- at the end of the month
    quantities jsonb NOT NULL,
    snapshot_at timestamptz(3) NOT NULL DEFAULT now(),
    closed_at timestamptz(3), -- when its invoice was handed on, or it turned out to need none
    PRIMARY KEY (workspace_id, month)
  );
  ${ofWorkspace('billing_months', 'SELECT, INSERT, UPDATE (closed_at)')}
  CREATE TRIGGER append_only BEFORE DELETE ON billing_months FOR EACH ROW EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER keep_snapshot BEFORE UPDATE ON billing_months FOR EACH ROW
    WHEN ((NEW.workspace_id, NEW.month, NEW.plan, NEW.quantities, NEW.snapshot_at)
      IS DISTINCT FROM (OLD.workspace_id, OLD.month, OLD.plan, OLD.quantities, OLD.snapshot_at) OR OLD.closed_at IS NOT NULL)
    EXECUTE FUNCTION refuse_change();

  CREATE TABLE invoices (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id uuid NOT NULL,
    month date NOT NULL,
    number integer CHECK (number >= 1), -- null while it is a draft
    status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'open', 'paid', 'void', 'uncollectible')),
    currency text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
    subtotal bigint NOT NULL,
    tax bigint NOT NULL,
    total bigint NOT NULL CHECK (total = subtotal + tax),
    digest text NOT NULL, -- of its lines: a repeated close makes the same
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    issued_at timestamptz(3),
    due_at timestamptz(3),
    paid_at timestamptz(3),
    voided_at timestamptz(3),
    hosted_url text,
    pdf_url text,
    UNIQUE (workspace_id, month),
    UNIQUE (workspace_id, number),
    UNIQUE (id, workspace_id),
    FOREIGN KEY (workspace_id, month) REFERENCES billing_months,
    CONSTRAINT invoices_opened CHECK ((status = 'draft') = (number IS NULL) AND (status = 'draft') = (issued_at IS NULL)
      AND (status = 'draft') = (due_at IS NULL)),
    CONSTRAINT invoices_ended CHECK ((status = 'paid') = (paid_at IS NOT NULL) AND (status = 'void') = (voided_at IS NOT NULL))
  );
  ${ofWorkspace('invoices', 'SELECT, INSERT')}
  GRANT UPDATE (status, number, issued_at, due_at, paid_at, voided_at, hosted_url, pdf_url) ON invoices TO service_app;

  CREATE TABLE invoice_lines (
    id text COLLATE "C" PRIMARY KEY,
    invoice_id text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL,
    position integer NOT NULL CHECK (position >= 1),
    amount bigint NOT NULL,
    line jsonb NOT NULL, -- as it is shown, without its id
    UNIQUE (invoice_id, position),
    FOREIGN KEY (invoice_id, workspace_id) REFERENCES invoices (id, workspace_id),
    CHECK ((line ->> 'amount')::bigint = amount)
  );
  ${ofWorkspace('invoice_lines', 'SELECT, INSERT')}
  ${appendOnly('invoice_lines')}

  CREATE TABLE invoice_numbers (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    last integer NOT NULL CHECK (last >= 1)
  );
  ${ofWorkspace('invoice_numbers', 'SELECT, INSERT, UPDATE (last)')}

  CREATE TABLE pending_plan_changes (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    plan text NOT NULL,
    effective_at timestamptz(3) NOT NULL
  );
  ${ofWorkspace('pending_plan_changes', 'SELECT, INSERT, UPDATE (plan, effective_at), DELETE')}
`;

const INVOICE_MOVES = `
  CREATE FUNCTION check_invoice_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      IF NEW.status <> 'draft' THEN RAISE EXCEPTION 'an invoice begins as a draft' USING ERRCODE = 'check_violation'; END IF;
      RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'invoice % is never deleted', OLD.id USING ERRCODE = 'check_violation'; END IF;
    IF (NEW.id, NEW.workspace_id, NEW.month, NEW.currency, NEW.subtotal, NEW.tax, NEW.total, NEW.digest, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.month, OLD.currency, OLD.subtotal, OLD.tax, OLD.total, OLD.digest, OLD.created_at)
       OR OLD.status <> 'draft' AND (NEW.number, NEW.issued_at, NEW.due_at) IS DISTINCT FROM (OLD.number, OLD.issued_at, OLD.due_at) THEN
      RAISE EXCEPTION 'invoice % was issued and does not change', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NOT (CASE OLD.status
        WHEN 'draft' THEN NEW.status = 'open'
        WHEN 'open' THEN NEW.status IN ('paid', 'void', 'uncollectible')
        WHEN 'uncollectible' THEN NEW.status IN ('paid', 'void')
        ELSE false
      END) THEN
      RAISE EXCEPTION 'invoice % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    -- Looked at once, here: a draft gets no more lines afterwards.
    IF OLD.status = 'draft' AND NEW.status = 'open'
       AND NEW.subtotal <> (SELECT COALESCE(sum(l.amount), 0) FROM invoice_lines l WHERE l.invoice_id = NEW.id) THEN
      RAISE EXCEPTION 'invoice % is not the sum of its lines', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE INSERT OR UPDATE OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION check_invoice_move();

  CREATE FUNCTION check_invoice_line() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    -- The lock lets no line slip in while its invoice is opened.
    PERFORM FROM invoices i WHERE i.id = NEW.invoice_id AND i.status = 'draft' FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'invoice % takes no more lines', NEW.invoice_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER check_draft AFTER INSERT ON invoice_lines FOR EACH ROW EXECUTE FUNCTION check_invoice_line();
`;

const THRESHOLDS = `
  CREATE TABLE alert_targets (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    amount bigint CHECK (amount >= 1), -- minor units; null without a target
    currency text CHECK (currency ~ '^[a-z]{3}$'),
    thresholds integer[] NOT NULL CHECK (cardinality(thresholds) BETWEEN 1 AND 10),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CHECK ((amount IS NULL) = (currency IS NULL))
  );
  ${ofWorkspace('alert_targets', 'SELECT, INSERT, UPDATE')}

  CREATE TABLE usage_crossings (
    workspace_id uuid NOT NULL,
    month date NOT NULL CHECK (extract(day FROM month) = 1),
    meter text NOT NULL, -- an allowance, or 'spend': the alert target
    threshold integer NOT NULL CHECK (threshold BETWEEN 1 AND 1000),
    environment_id uuid NOT NULL, -- where it is told
    used bigint NOT NULL,
    allowed bigint NOT NULL,
    currency text,
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, month, meter, threshold),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  ${ofWorkspace('usage_crossings', 'SELECT, INSERT')}
  ${appendOnly('usage_crossings')}

${leavingEventsOf({ table: 'usage_crossings', snapshot: 'NEW.*', events: { 'usage.threshold': ['INSERT', 'true'] } })}
  CREATE INDEX monthly_usage_by_month ON monthly_usage (month);
`;

const DIRECTORY = `
  GRANT SELECT (created_at, plan) ON workspaces TO service_directory;
  GRANT SELECT (created_at) ON environments TO service_directory;
  GRANT SELECT (status, settled_at, created_at, environment_id) ON invocations TO service_directory;
  CREATE POLICY directory ON late_executions FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON billing_months FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON monthly_usage FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON usage_crossings FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON alert_targets FOR SELECT TO service_directory USING (true);
  GRANT SELECT ON late_executions, billing_months, monthly_usage, usage_crossings, alert_targets TO service_directory;

  -- The executions of all environments of the workspace that were admitted in a month and had settled as succeeded before \`until\`.
  CREATE FUNCTION count_executions(of_month date, until timestamptz) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT COALESCE(sum(of_environment.succeeded), 0)::bigint FROM environments e CROSS JOIN LATERAL (
        SELECT count(*) AS succeeded FROM invocations i
        WHERE i.environment_id = e.id AND i.created_at >= of_month::timestamp AT TIME ZONE 'UTC'
          AND i.created_at < least(until, (of_month + interval '1 month') AT TIME ZONE 'UTC') AND i.settled_at < until
          AND (i.status = 'succeeded' OR i.status = 'failed' AND EXISTS (
            SELECT FROM late_executions l WHERE l.invocation_id = i.id AND l.kind = 'reversed' AND l.at >= until))) of_environment
      WHERE e.workspace_id = current_workspace_id();
    END;

  -- The oldest month of each workspace that ended five minutes ago or earlier and was not closed.
  CREATE FUNCTION find_unclosed_months(after_id text, most integer) RETURNS TABLE (workspace_id uuid, month date)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT w.id, m.month FROM workspaces w CROSS JOIN LATERAL (
        SELECT COALESCE((SELECT max(b.month) + interval '1 month' FROM billing_months b WHERE b.workspace_id = w.id AND b.closed_at IS NOT NULL),
          date_trunc('month', w.created_at AT TIME ZONE 'UTC'))::date AS month) m
      WHERE (after_id = '' OR w.id > after_id::uuid) AND (m.month + interval '1 month 5 minutes') AT TIME ZONE 'UTC' <= now()
      ORDER BY w.id LIMIT most;
    END;

  -- The thresholds of allowances that were reached this month and that nobody was told of. \`limits\`: by plan and allowance.
  CREATE FUNCTION find_usage_crossings(limits jsonb, thresholds integer[], after_id text, most integer)
    RETURNS TABLE (id text, workspace_id uuid, environment_id uuid, month date, meter text, threshold integer, used bigint, allowed bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH spent AS (
        SELECT u.workspace_id, u.month, u.allowance, sum(u.used)::bigint AS used FROM monthly_usage u
        WHERE u.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date GROUP BY 1, 2, 3),
      reached AS (
        SELECT s.*, t.threshold, (limits -> w.plan ->> s.allowance)::bigint AS allowed
        FROM spent s JOIN workspaces w ON w.id = s.workspace_id CROSS JOIN unnest(thresholds) t (threshold))
      SELECT (r.workspace_id || '/' || r.allowance || '/' || r.threshold) COLLATE "C" AS id, r.workspace_id, told.id, r.month, r.allowance,
        r.threshold, r.used, r.allowed
      FROM reached r CROSS JOIN LATERAL (
        SELECT e.id FROM environments e WHERE e.workspace_id = r.workspace_id
        ORDER BY e.kind = 'production' DESC, e.created_at, e.id LIMIT 1) told
      WHERE r.allowed > 0 AND r.used >= 1 AND r.used * 100 >= r.allowed * r.threshold
        AND (r.workspace_id || '/' || r.allowance || '/' || r.threshold) COLLATE "C" > after_id
        AND NOT EXISTS (SELECT FROM usage_crossings x WHERE x.workspace_id = r.workspace_id AND x.month = r.month
          AND x.meter = r.allowance AND x.threshold = r.threshold)
      ORDER BY 1 LIMIT most;
    END;

  CREATE FUNCTION find_alert_targets(after_id text, most integer) RETURNS TABLE (workspace_id uuid, environment_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT t.workspace_id, told.id FROM alert_targets t CROSS JOIN LATERAL (
        SELECT e.id FROM environments e WHERE e.workspace_id = t.workspace_id
        ORDER BY e.kind = 'production' DESC, e.created_at, e.id LIMIT 1) told
      WHERE t.amount IS NOT NULL AND (after_id = '' OR t.workspace_id > after_id::uuid) ORDER BY t.workspace_id LIMIT most;
    END;
`;
