import type { RunStatus } from '../../domain/runs/runs.ts';
import { selected, shortenedColumn } from '../columns.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import { OF_INVOCATION, RUN_COLUMNS, type RunRecord } from './records.ts';

export interface RunCounts {
  spans: number;
  invocations: number;
  effects: number;
  approvals: number;
}

export async function getRun(
  tx: EnvironmentTransaction,
  id: string,
): Promise<(RunRecord & { counts: RunCounts }) | null> {
  return tx.row<RunRecord & { counts: RunCounts }>(
    'get_run',
    `SELECT ${selected(RUN_COLUMNS)}, (
       SELECT json_build_object('spans', count(*), 'invocations', count(s.invocation_id), 'effects', count(i.effect_id),
         'approvals', count(i.approval_id)) FROM spans s ${OF_INVOCATION} WHERE s.run_id = r.id) AS counts
     FROM runs r WHERE r.id = :id`,
    { id },
  );
}

/** Whether the environment has this run. */
export async function hasRun(tx: EnvironmentTransaction, id: string): Promise<boolean> {
  const rows = await tx.rows<unknown>('has_run', 'SELECT FROM runs WHERE id = :id', { id });
  return rows.length > 0;
}

export interface RunState {
  status: RunStatus;
  /** Whether it ended so long ago that no more spans are taken. */
  isClosed: boolean;
}

/** Returns null when the environment has no such run. */
export async function findRunState(
  tx: EnvironmentTransaction,
  id: string,
  spansAfterEndSeconds: number,
): Promise<RunState | null> {
  return tx.row<RunState>(
    'find_run_state',
    `SELECT r.status, ${IS_CLOSED} AS "isClosed" FROM runs r WHERE r.id = :id`,
    { id, spansAfterEndSeconds },
  );
}

/** For `runs r`: it ended so long ago that no more spans are taken. */
const IS_CLOSED = 'COALESCE(r.closed_at < now() - make_interval(secs => :spansAfterEndSeconds), false)';

export interface LockedRun extends RunRecord {
  /** Whether it ended so long ago that no more spans are taken. */
  isClosed: boolean;
}

/** Locks a run until the transaction ends: its spans are written by one at a time, and it ends before or after them. */
export async function lockRun(
  tx: EnvironmentTransaction,
  id: string,
  spansAfterEndSeconds: number,
): Promise<LockedRun | null> {
  return tx.row<LockedRun>(
    'lock_run',
    `SELECT ${selected(RUN_COLUMNS)}, ${IS_CLOSED} AS "isClosed"
     FROM runs r WHERE r.id = :id FOR NO KEY UPDATE`,
    { id, spansAfterEndSeconds },
  );
}

export interface RunFilter {
  status?: RunStatus | undefined;
  agentId?: string | undefined;
  userId?: string | undefined;
  application?: string | undefined;
  tag?: string | undefined;
  startDate?: Date | undefined;
  endDate?: Date | undefined;
}

const CONDITIONS: Readonly<Record<keyof RunFilter, string>> = {
  status: 'r.status = :status',
  agentId: 'r.agent_id = :agentId',
  userId: 'r.user_id = :userId',
  application: 'r.application = :application',
  // An array: the planner knows how many runs of all tenants have the tag, and would read all of this one for them.
  tag: 'r.id = ANY (ARRAY(SELECT t.run_id FROM run_tags t WHERE t.environment_id = current_environment_id() AND t.tag = :tag))',
  startDate: 'r.started_at >= CAST(:startDate AS timestamptz)',
  endDate: 'r.started_at < CAST(:endDate AS timestamptz)',
};

const LISTED = selected({
  ...RUN_COLUMNS,
  input: shortenedColumn('r.input'),
  output: shortenedColumn('r.output'),
  error: shortenedColumn('r.error'),
  metadata: shortenedColumn('r.metadata'),
});

/** One page, newest first. */
export async function listRuns(tx: EnvironmentTransaction, asked: RunFilter & Range): Promise<Page<RunRecord>> {
  const where = ['r.environment_id = current_environment_id()', ...conditionsFor(CONDITIONS, asked)].join(' AND ');
  return pageOf(tx, {
    name: { variantsOf: 'list_runs_runs' },
    columns: LISTED,
    from: 'runs r',
    where,
    order: 'r.id DESC',
    asked,
  });
}
