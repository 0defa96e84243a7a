import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0043-workflow-starts';

/**
 * The outbox of workflow starts. A row says: the workflow of this record is to be started at `due_at`, unless the record has moved by then.
 *
 * A trigger of each table keeps the row in step with its record, in the same transaction, as an index would be: the record's expression
 * `due` is the time, and there is no row where it is null. So the row stays until the record needs no workflow any more, and a workflow
 * that was never started, was terminated, or was lost with Temporal's data is found in the same way (docs/adr/0017-an-outbox-of-workflow-starts.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(STARTS);
  // The triggers are made before their functions are handed over: they take the right to execute these.
  const made = RECORDS.map((record) => functionOf(record) + triggersOf(record));
  await makeDirectoryFunctions(knex, [DIRECTORY, ...made].join(''), [
    'claim_workflow_starts(interval, integer)',
    ...RECORDS.map(({ table }) => `keep_start_of_${table}()`),
  ]);
}

const STARTS = `
  CREATE TABLE workflow_starts (
    id text COLLATE "C" PRIMARY KEY,  -- of the record
    environment_id uuid NOT NULL,     -- as the record has it
    kind text NOT NULL,
    detail text,                      -- what the start needs beside the id
    due_at timestamptz NOT NULL,
    claimed boolean NOT NULL DEFAULT false -- since its record last moved
  );
  CREATE INDEX workflow_starts_due ON workflow_starts (claimed, due_at);
  CALL make_tenant_table('workflow_starts', 'SELECT'); -- only the triggers write it
`;

const DIRECTORY = `
  CREATE POLICY directory ON workflow_starts TO service_directory USING (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON workflow_starts TO service_directory;

  -- Starts that are due: \`most\` of those that nobody has claimed, so that what has just been lost waits behind no backlog, and \`most\` of the
  -- others, those first that wait longest. Each is due again after \`again_in\`, until its record moves. Two callers at once get different rows.
  CREATE FUNCTION claim_workflow_starts(again_in interval, most integer)
    RETURNS TABLE (id text, kind text, detail text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH unclaimed AS (
        SELECT s.id FROM workflow_starts s WHERE NOT s.claimed AND s.due_at <= now() ORDER BY s.due_at LIMIT most FOR UPDATE SKIP LOCKED),
      claimed AS (
        SELECT s.id FROM workflow_starts s WHERE s.claimed AND s.due_at <= now() ORDER BY s.due_at LIMIT most FOR UPDATE SKIP LOCKED),
      moved AS (
        UPDATE workflow_starts s SET due_at = now() + again_in, claimed = true
        WHERE s.id = ANY (ARRAY(SELECT u.id FROM unclaimed u UNION ALL SELECT c.id FROM claimed c))
        RETURNING s.id, s.kind, s.detail, s.environment_id)
      SELECT m.id, m.kind, m.detail, m.environment_id, e.workspace_id
      FROM moved m JOIN environments e ON e.id = m.environment_id ORDER BY m.id;
    END;
`;

/** A table whose records have a workflow each. The expressions are over its row `r`. */
interface StartedRecord {
  table: string;
  kind: string;
  /** When the workflow is to be started, unless the record moves before; null where it needs none. */
  due: (r: string) => string;
  id?: (r: string) => string;
  detail?: (r: string) => string;
}

/** Until then it still belongs to the process that moved the record. */
const LOST = `interval '30 seconds'`;
/** Longer than the longest wait between two looks of a job that runs, and than a read, which has up to five tries of a minute. */
const IDLE = `interval '2 minutes'`;

const RECORDS: readonly StartedRecord[] = [
  {
    table: 'invocations',
    kind: 'invocation',
    // One that is pending by its provider's word has a source: its effect is read until the outcome is known.
    due: (r) =>
      `CASE WHEN ${r}.status IN ('queued', 'dispatching') AND ${r}.outcome_source IS NULL THEN ${r}.created_at + ${LOST} END`,
  },
  {
    table: 'approvals',
    kind: 'approval',
    detail: (r) => `${r}.invocation_id`,
    // Its workflow never started, has not seen the decision, or missed the expiry.
    due: (r) => `CASE WHEN ${r}.awaited_status IS NULL OR ${r}.awaited_status = 'pending' THEN ${LOST} + CASE
      WHEN ${r}.status <> 'pending' THEN ${r}.decided_at WHEN ${r}.awaited_status IS NULL THEN ${r}.created_at ELSE ${r}.expires_at END END`,
  },
  {
    table: 'effects',
    kind: 'read',
    // A settled one is read again where its provider can still reverse it.
    due: (
      r,
    ) => `CASE WHEN ${r}.stage = 'reconciling' AND NOT ${r}.reconcile_exhausted THEN COALESCE(${r}.reconcile_next_at, ${r}.updated_at) + ${IDLE}
      WHEN ${r}.stage = 'settled' THEN ${r}.reconcile_next_at + ${IDLE} END`,
  },
  {
    table: 'events',
    kind: 'event',
    due: (r) => `CASE WHEN ${r}.fanned_out_at IS NULL THEN ${r}.created_at + ${LOST} END`,
  },
  {
    table: 'notification_emails',
    kind: 'email',
    due: (r) => `CASE WHEN ${r}.ended_at IS NULL THEN ${r}.next_attempt_at + ${LOST} END`,
  },
  {
    table: 'dead_letter_jobs',
    kind: 'dead_letter_job',
    detail: (r) => `${r}.kind`,
    due: (r) => `CASE WHEN ${r}.ended_at IS NULL THEN ${r}.looked_at + ${IDLE} END`,
  },
  {
    table: 'memory_jobs',
    kind: 'memory_job',
    detail: (r) => `${r}.kind`,
    due: (r) => `CASE WHEN ${r}.ended_at IS NULL THEN ${r}.looked_at + ${IDLE} END`,
  },
  {
    table: 'schedules',
    kind: 'schedule',
    // Temporal knows it otherwise than its row says, its calendars run out, or its time came and no firing with it.
    due: (r) => `CASE WHEN ${r}.deleted_at IS NULL
        THEN LEAST(CASE WHEN ${r}.told_revision IS DISTINCT FROM ${r}.revision THEN ${r}.updated_at + ${LOST} END, ${r}.renew_at, ${r}.due_at + ${IDLE})
      WHEN ${r}.told_revision IS NOT NULL THEN ${r}.deleted_at + ${LOST} END`,
  },
  {
    table: 'schedule_runs',
    kind: 'firing',
    id: (r) => `concat_ws('/', ${r}.schedule_id, ${r}.trigger, trunc(extract(epoch FROM ${r}.nominal_at) * 1000))`,
    detail: (r) => `${r}.outcome`,
    due: (r) => `CASE WHEN ${r}.outcome IN ('queued', 'waiting') THEN ${r}.fired_at + ${LOST} END`,
  },
];

const ownId = (r: string): string => `${r}.id`;
const nothing = (): string => 'NULL';

function functionOf({ table, kind, due, id = ownId, detail = nothing }: StartedRecord): string {
  return `
  CREATE FUNCTION keep_start_of_${table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := ${due('NEW')}; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = ${id('OLD')};
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (${id('NEW')}, NEW.environment_id, '${kind}', ${detail('NEW')}, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $$;
`;
}

function triggersOf({ table, due }: StartedRecord): string {
  const trigger = (on: string, when: string): string => `
    CREATE TRIGGER keep_start_${on.toLowerCase()} AFTER ${on} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION keep_start_of_${table}();`;
  return [
    trigger('INSERT', `(${due('NEW')}) IS NOT NULL`),
    trigger('UPDATE', `(${due('OLD')}) IS DISTINCT FROM (${due('NEW')})`),
    trigger('DELETE', `(${due('OLD')}) IS NOT NULL`),
  ].join('');
}
