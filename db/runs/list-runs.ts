import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import type { RunStatus } from '../../domain/runs/runs.ts';
import { selected } from '../columns.ts';
import { shortenedColumn } from '../shortened.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { RUN_COLUMNS, type RunRecord } from './records.ts';

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
  return pageOf(tx, { columns: LISTED, from: 'runs r', where, order: 'r.id DESC', asked });
}
