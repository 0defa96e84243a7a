import type { InvocationStatus } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { INVOCATION_TABLES, LISTED_INVOCATION_COLUMNS, type ListedInvocationRecord } from './records.ts';

export interface InvocationFilter {
  actionId?: string | undefined;
  /** Id or name of the action. Archived actions that had the name count too. */
  action?: string | undefined;
  status?: InvocationStatus | undefined;
  grade?: string | undefined;
  operationKey?: string | undefined;
  agentId?: string | undefined;
  runId?: string | undefined;
  /** Created at this time or later. */
  from?: Date | undefined;
  /** Created before this time. */
  to?: Date | undefined;
  limit: number;
  offset: number;
}

/** Only the conditions of the filter are written, so that the planner sees which index serves it. */
const CONDITIONS = {
  actionId: 'i.action_id = :actionId',
  actionIds: 'i.action_id = ANY(:actionIds)',
  status: 'i.status = :status',
  grade: 'i.grade = :grade',
  operationKey: 'i.operation_key = :operationKey',
  agentId: 'i.agent_id = :agentId',
  runId: 'i.run_id = :runId',
  from: 'i.created_at >= :from',
  to: 'i.created_at < :to',
} as const;

type Values = { [Name in keyof typeof CONDITIONS]?: string | string[] | Date | undefined };

/** The condition of a list on `invocations i`, with what it binds. */
export function invocationCondition(values: Values): {
  where: string;
  bindings: Record<string, string | string[] | Date>;
} {
  const bindings: Record<string, string | string[] | Date> = {};
  const conditions = ['i.environment_id = current_environment_id()'];
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = values[name as keyof Values];
    if (value === undefined) continue;
    bindings[name] = value;
    conditions.push(condition);
  }
  return { where: conditions.join(' AND '), bindings };
}

/** Newest first, ties by id, with large results shortened. `total` counts the matches of the filter. */
export async function listInvocations(
  tx: EnvironmentTransaction,
  { action, limit, offset, ...filter }: InvocationFilter,
): Promise<{ total: number; items: ListedInvocationRecord[] }> {
  const actionIds = action === undefined ? undefined : await idsOfAction(tx, action);
  if (actionIds?.length === 0) return { total: 0, items: [] };
  // One id keeps the order of its index; several are sorted.
  const ofAction = actionIds?.length === 1 ? { actionId: actionIds[0] } : { actionIds };
  const { where, bindings } = invocationCondition({ ...filter, ...(actionIds === undefined ? {} : ofAction) });
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM invocations i WHERE ${where}`,
    bindings,
  );
  const page = 'ORDER BY i.created_at DESC, i.id DESC LIMIT :limit OFFSET :offset';
  const { rows } = await tx.raw<{ rows: ListedInvocationRecord[] }>(
    `SELECT ${LISTED_INVOCATION_COLUMNS} FROM ${INVOCATION_TABLES} WHERE ${where} ${page}`,
    { ...bindings, limit, offset },
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
}

async function idsOfAction(tx: EnvironmentTransaction, action: string): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM actions WHERE environment_id = current_environment_id() AND (id = :action OR name = :action) ORDER BY id`,
    { action },
  );
  return rows.map(({ id }) => id);
}
