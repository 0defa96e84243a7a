import type { InvocationStatus } from '../../domain/lifecycle.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { InvocationState } from '../../domain/refs.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import {
  INVOCATION_COLUMNS,
  INVOCATION_JOINS,
  type InvocationRecord,
  LISTED_INVOCATION_COLUMNS,
  type ListedInvocationRecord,
} from './records.ts';
import { RecordGone } from '../../domain/record-gone.ts';

export async function getInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<InvocationRecord | null> {
  return tx.row<InvocationRecord>(
    'get_invocation',
    `SELECT ${INVOCATION_COLUMNS} FROM invocations i ${INVOCATION_JOINS} WHERE i.id = ?`,
    [invocationId],
  );
}

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
    name: { variantsOf: 'list_invocations' },
    columns: LISTED_INVOCATION_COLUMNS,
    from: 'invocations i',
    joins: INVOCATION_JOINS,
    where: invocationCondition(asked),
    order: 'i.created_at DESC, i.id DESC',
    asked,
  });
}

async function idsOfAction(tx: EnvironmentTransaction, action: string): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    'ids_of_action',
    `SELECT id FROM actions WHERE environment_id = current_environment_id() AND (id = :action OR name = :action) ORDER BY id`,
    { action },
  );
  return rows.map(({ id }) => id);
}

/** The invocation that took an operation key in the transaction's environment, with the digest of its request. */
export async function findByOperationKey(
  tx: EnvironmentTransaction,
  operationKey: string,
): Promise<{ id: string; requestDigest: string } | null> {
  return tx.row<{ id: string; requestDigest: string }>(
    'find_by_operation_key',
    `SELECT id, request_digest AS "requestDigest" FROM invocations
     WHERE environment_id = current_environment_id() AND operation_key = ?`,
    [operationKey],
  );
}

/** The input as it was admitted: with what its files were then. */
export async function readAdmittedInput(tx: EnvironmentTransaction, invocationId: string): Promise<JsonObject | null> {
  const row = await tx.row<{ input: JsonObject }>('read_admitted_input', 'SELECT input FROM invocations WHERE id = ?', [
    invocationId,
  ]);
  return row?.input ?? null;
}

type Row = Omit<InvocationState, 'dependents' | 'refusal'> & {
  refusal: InvocationState['refusal'] | null;
  dependents: string[] | null;
};

/** The number of dependents that are signalled. The others check by themselves, minutes later. */
const DEPENDENTS_MAX = 100;

/** The facts about an invocation that a workflow may know. */
export async function readInvocationState(tx: EnvironmentTransaction, invocationId: string): Promise<InvocationState> {
  const row = await tx.row<Row>(
    'read_invocation_state',
    `SELECT i.status, COALESCE(e.grade, i.grade) AS grade, e.stage, i.effect_id AS "effectId", i.refusal_code AS refusal,
       CASE WHEN e.stage IN ('settled', 'rejected') THEN ARRAY(
         SELECT w.id FROM effect_dependencies d JOIN invocations w ON w.id = d.invocation_id
         WHERE d.depends_on = e.id AND w.status IN ('queued', 'pending_approval') ORDER BY w.id LIMIT :most) END AS dependents
     FROM invocations i LEFT JOIN effects e ON e.invocation_id = i.id WHERE i.id = :invocationId`,
    { invocationId, most: DEPENDENTS_MAX },
  );
  if (!row) throw new RecordGone(`invocation ${invocationId} is gone`);
  const { dependents, refusal, ...state } = row;
  return {
    ...state,
    ...(refusal === null || refusal === undefined ? {} : { refusal }),
    ...(dependents === null || dependents.length === 0 ? {} : { dependents }),
  };
}

/** True once the invocation's workflow has evaluated it. */
export async function hasBegun(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const row = await tx.row<{ begun: boolean }>(
    'has_begun',
    'SELECT evaluated_at IS NOT NULL AS begun FROM invocations WHERE id = ?',
    [invocationId],
  );
  return row?.begun ?? false;
}

/** Whether an invocation has waited for people or for other effects, where its run was cancelled. Null where the run was not, or there is none. */
export async function readCancelledRun(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<{ hasWaited: boolean } | null> {
  return tx.row<{ hasWaited: boolean }>(
    'read_cancelled_run',
    `SELECT i.approval_id IS NOT NULL OR i.dependencies_awaited_at IS NOT NULL AS "hasWaited"
     FROM invocations i JOIN runs r ON r.id = i.run_id WHERE i.id = ? AND r.status = 'cancelled'`,
    [invocationId],
  );
}

/** What the Temporal UI shows of an invocation beside its ids. */
export interface NamesOfInvocation {
  actionName: string;
  environmentName: string;
  /** Null when the admission recorded no request id. */
  requestId: string | null;
  /** A recovery holds it: it was admitted before one, and nobody has claimed its dispatch here. */
  isHeld: boolean;
}

/** For who starts the workflow of an invocation and holds only its id. Null where its admission was withdrawn. */
export async function namesOfInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<NamesOfInvocation | null> {
  return tx.row<NamesOfInvocation>(
    'names_of_invocation',
    `SELECT a.name AS "actionName", e.name AS "environmentName", i.request_id AS "requestId",
       i.status IN ('queued', 'dispatching') AND i.timeline <> current_timeline() AND NOT EXISTS (
         SELECT FROM attempts t WHERE t.invocation_id = i.id AND t.kind = 'dispatch' AND t.claimed_at IS NOT NULL) AS "isHeld"
     FROM invocations i JOIN actions a ON a.id = i.action_id JOIN environments e ON e.id = i.environment_id WHERE i.id = ?`,
    [invocationId],
  );
}
