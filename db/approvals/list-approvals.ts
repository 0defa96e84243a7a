import type { ApprovalKind, ApprovalStatus } from '../../domain/approvals/approval.ts';
import type { EnvironmentTransaction } from '../client.ts';
import {
  APPROVAL_TABLES,
  approvalOf,
  type ApprovalRecord,
  type ApprovalRow,
  LISTED_APPROVAL_COLUMNS,
} from './records.ts';

export interface ApprovalFilter {
  status?: ApprovalStatus | undefined;
  kind?: ApprovalKind | undefined;
  /** Id or name of the action. */
  action?: string | undefined;
  invocationId?: string | undefined;
  effectId?: string | undefined;
  limit: number;
  offset: number;
}

/** Newest first, ties by id, with large payloads shortened. `total` counts the matches of the filter. */
export async function listApprovals(
  tx: EnvironmentTransaction,
  filter: ApprovalFilter,
): Promise<{ total: number; items: ApprovalRecord[] }> {
  const where = `p.environment_id = current_environment_id()
    AND (CAST(:status AS text) IS NULL OR p.status = :status) AND (CAST(:kind AS text) IS NULL OR p.kind = :kind)
    AND (CAST(:action AS text) IS NULL OR p.action_id = :action OR p.action_id IN (SELECT id FROM actions WHERE name = :action))
    AND (CAST(:invocationId AS text) IS NULL OR p.invocation_id = :invocationId)
    AND (CAST(:effectId AS text) IS NULL OR p.effect_id = :effectId)`;
  const bindings = {
    status: filter.status ?? null,
    kind: filter.kind ?? null,
    action: filter.action ?? null,
    invocationId: filter.invocationId ?? null,
    effectId: filter.effectId ?? null,
    limit: filter.limit,
    offset: filter.offset,
  };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM approvals p WHERE ${where}`,
    bindings,
  );
  const page = 'ORDER BY p.created_at DESC, p.id DESC LIMIT :limit OFFSET :offset';
  const { rows } = await tx.raw<{ rows: ApprovalRow[] }>(
    `SELECT ${LISTED_APPROVAL_COLUMNS} FROM ${APPROVAL_TABLES} WHERE ${where} ${page}`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows.map(approvalOf) };
}
