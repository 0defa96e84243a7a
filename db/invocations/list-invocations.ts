import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import type { InvocationStatus } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { INVOCATION_JOINS, LISTED_INVOCATION_COLUMNS, type ListedInvocationRecord } from './records.ts';

export interface InvocationFilter extends Range {
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

/** The condition of a list on `invocations i`, for these values. */
export function invocationCondition(values: Values): string {
  return ['i.environment_id = current_environment_id()', ...conditionsFor(CONDITIONS, values)].join(' AND ');
}

/** Newest first, ties by id, with large results shortened. `total` counts the matches of the filter. */
export async function listInvocations(
  tx: EnvironmentTransaction,
  { action, ...filter }: InvocationFilter,
): Promise<Page<ListedInvocationRecord>> {
  const actionIds = action === undefined ? undefined : await idsOfAction(tx, action);
  if (actionIds?.length === 0) return { total: 0, items: [] };
  // One id keeps the order of its index; several are sorted.
  const ofAction = actionIds?.length === 1 ? { actionId: actionIds[0] } : { actionIds };
  const asked = { ...filter, ...(actionIds === undefined ? {} : ofAction) };
  return pageOf(tx, {
    columns: LISTED_INVOCATION_COLUMNS,
    from: 'invocations i',
    joins: INVOCATION_JOINS,
    where: invocationCondition(asked),
    order: 'i.created_at DESC, i.id DESC',
    asked,
  });
}

async function idsOfAction(tx: EnvironmentTransaction, action: string): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM actions WHERE environment_id = current_environment_id() AND (id = :action OR name = :action) ORDER BY id`,
    { action },
  );
  return rows.map(({ id }) => id);
}
