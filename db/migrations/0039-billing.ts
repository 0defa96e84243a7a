import type { Knex } from 'knex';

export const name = '0039-billing';

/**
 * `plan_changes`: when a workspace changed its plan, and from which to which. `setPlan` writes a row in the statement that changes
 * `workspaces.plan`. A workspace without a row has had its plan since it was made. Rows are append-only: invoices are made from them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(PLAN_CHANGES);
}

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
