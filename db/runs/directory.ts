import type { InvocationRef } from '../../domain/refs.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../client.ts';

/** A request to cancel a run waits while so many are told. The sweep tells the others. */
export const WAITING_INVOCATIONS_MAX = 100;

/** The first invocations of a run that wait for a person or for other effects, WAITING_INVOCATIONS_MAX at most. */
export async function findWaitingInvocations(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  runId: string,
): Promise<InvocationRef[]> {
  const rows = await tx.rows<{ id: string }>(
    'find_waiting_invocations',
    `SELECT i.id FROM invocations i WHERE i.run_id = :runId
       AND (i.status = 'pending_approval' OR i.status = 'queued' AND i.dependencies_awaited_at IS NOT NULL) ORDER BY i.id LIMIT :most`,
    { runId, most: WAITING_INVOCATIONS_MAX },
  );
  const { workspaceId, environmentId } = tenant;
  return rows.map(({ id }) => ({ invocationId: id, workspaceId, environmentId }));
}

/** The same of every cancelled run, in every environment, by id: their workflows have not heard of it. */
export async function findWaitingInvocationsOfCancelledRuns(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<InvocationRef[]> {
  const rows = await db.directory.rows<{ id: string; environment_id: string; workspace_id: string }>(
    'find_waiting_invocations_of_cancelled_runs',
    'SELECT id, environment_id, workspace_id FROM find_waiting_invocations_of_cancelled_runs(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id, environment_id, workspace_id }) => ({
    invocationId: id,
    environmentId: environment_id,
    workspaceId: workspace_id,
  }));
}

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Makes the partitions of runs and spans for now and for later. Returns how many ranges. */
export async function makeRunPartitions(db: Database): Promise<number> {
  const row = await db.directory.row<{ made: number }>('make_run_partitions', 'SELECT make_run_partitions() AS made');
  return row?.made ?? 0;
}

/** Drops one range that is old, of both tables, and returns its name. Returns null when none can be dropped now. */
export async function dropOldRunPartition(db: Database): Promise<string | null> {
  const row = await db.directory.row<{ name: string | null }>(
    'drop_old_run_partition',
    'SELECT drop_old_run_partition() AS name',
  );
  return row?.name ?? null;
}

/** Gives back the storage of ranges that were dropped. Returns how many rows of counts went. */
export async function forgetStoredWeeks(db: Database): Promise<number> {
  const row = await db.directory.row<{ forgotten: number }>(
    'forget_stored_weeks',
    'SELECT forget_stored_weeks() AS forgotten',
  );
  return row?.forgotten ?? 0;
}

/** Deletes a part of what is old and in no range. 0: none is left. */
export async function deleteRunsOutsideOfRanges(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_runs_outside_of_ranges',
    'SELECT delete_runs_outside_of_ranges(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}
