import type { ApprovalKind, ApprovalStatus } from '../../domain/approvals/approval.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { requireLightPage } from '../require-light-page.ts';
import { APPROVAL_COLUMNS, APPROVAL_TABLES, approvalOf, type ApprovalRecord, type ApprovalRow } from './records.ts';

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

/** Newest first, ties by id; `total` counts what the filter matches. */
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
  // Each is shown with its preview.
  await requireLightPage(
    tx,
    filter.limit,
    `SELECT COALESCE(octet_length(CAST(p.payload AS text)), 0) + COALESCE(octet_length(CAST(v AS text)), 0) AS bytes
     FROM approvals p LEFT JOIN previews v ON v.id = p.preview_id WHERE ${where} ${page}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: ApprovalRow[] }>(
    `SELECT ${APPROVAL_COLUMNS} FROM ${APPROVAL_TABLES} WHERE ${where} ${page}`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows.map(approvalOf) };
}
