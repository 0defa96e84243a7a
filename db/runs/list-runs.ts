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

const FILTERS = Object.keys(CONDITIONS) as (keyof RunFilter)[];

const LISTED = selected({
  ...RUN_COLUMNS,
  input: shortenedColumn('r.input'),
  output: shortenedColumn('r.output'),
  error: shortenedColumn('r.error'),
  metadata: shortenedColumn('r.metadata'),
});

/** One page, newest first. */
export async function listRuns(
  tx: EnvironmentTransaction,
  { limit, offset, ...filter }: RunFilter & { limit: number; offset: number },
): Promise<{ items: RunRecord[]; total: number }> {
  const asked = FILTERS.flatMap((name) => (filter[name] === undefined ? [] : [[name, filter[name]] as const]));
  const where = ['r.environment_id = current_environment_id()', ...asked.map(([name]) => CONDITIONS[name])].join(
    ' AND ',
  );
  const bindings = { ...Object.fromEntries(asked), limit, offset };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM runs r WHERE ${where}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: RunRecord[] }>(
    `SELECT ${LISTED} FROM runs r WHERE ${where} ORDER BY r.id DESC LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
