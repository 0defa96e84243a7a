import type { InvocationStatus } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { INVOCATION_TABLES, LISTED_INVOCATION_COLUMNS, type ListedInvocationRecord } from './records.ts';

export interface InvocationFilter {
  actionId?: string | undefined;
  status?: InvocationStatus | undefined;
  grade?: string | undefined;
  limit: number;
  offset: number;
}

/** Newest first, ties by id, with large results shortened. `total` counts the matches of the filter. */
export async function listInvocations(
  tx: EnvironmentTransaction,
  filter: InvocationFilter,
): Promise<{ total: number; items: ListedInvocationRecord[] }> {
  const where = `i.environment_id = current_environment_id()
    AND (CAST(:actionId AS text) IS NULL OR i.action_id = :actionId) AND (CAST(:status AS text) IS NULL OR i.status = :status)
    AND (CAST(:grade AS text) IS NULL OR i.grade = :grade)`;
  const bindings = {
    actionId: filter.actionId ?? null,
    status: filter.status ?? null,
    grade: filter.grade ?? null,
    limit: filter.limit,
    offset: filter.offset,
  };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM invocations i WHERE ${where}`,
    bindings,
  );
  const page = 'ORDER BY i.created_at DESC, i.id DESC LIMIT :limit OFFSET :offset';
  const { rows } = await tx.raw<{ rows: ListedInvocationRecord[] }>(
    `SELECT ${LISTED_INVOCATION_COLUMNS} FROM ${INVOCATION_TABLES} WHERE ${where} ${page}`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
}
