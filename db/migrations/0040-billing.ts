import type { Knex } from 'knex';

export const name = '0040-billing';

/**
 * `daily_usage`: what each environment took of each allowance on each UTC day, written in the statement that takes it of the month. The
 * days of a month sum to its `monthly_usage`. It has as many shards as the month, and a transaction locks the row of the month first.
 *
 * `plan_changes`: when a workspace changed its plan, and from which to which. `setPlan` writes a row in the statement that changes
 * `workspaces.plan`. A workspace without a row has had its plan since it was made. Rows are append-only: invoices are made from them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(DAILY_USAGE);
  await knex.raw(PLAN_CHANGES);
}

const DAILY_USAGE = `
  CREATE TABLE daily_usage (
    environment_id uuid NOT NULL,
    day date NOT NULL, -- UTC
    allowance text NOT NULL CHECK (allowance IN ('executions', 'messages', 'egress', 'memory_processing', 'notification_emails')),
    shard smallint NOT NULL CHECK (shard >= 0),
    workspace_id uuid NOT NULL,
    used bigint NOT NULL, -- one shard may be negative: what is given back is taken from shard 0
    PRIMARY KEY (environment_id, day, allowance, shard),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  CREATE INDEX daily_usage_of_workspace ON daily_usage (workspace_id, day);
  ALTER TABLE daily_usage ENABLE ROW LEVEL SECURITY;
  ALTER TABLE daily_usage FORCE ROW LEVEL SECURITY;
  -- Billing shows all environments of the workspace.
  CREATE POLICY tenant ON daily_usage USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT, UPDATE (used) ON daily_usage TO service_app;
`;

const PLAN_CHANGES = `
  CREATE TABLE plan_changes (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    number integer NOT NULL CHECK (number >= 1), -- of the workspace, without a gap
    from_plan text NOT NULL,
    to_plan text NOT NULL CHECK (to_plan <> from_plan),
    changed_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, number)
  );
  ALTER TABLE plan_changes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE plan_changes FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON plan_changes USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON plan_changes TO service_app;
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON plan_changes
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
`;
