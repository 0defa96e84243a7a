import { type Page, pageOf, type Range } from '../page.ts';
import type { ApprovalKind, ApprovalStatus } from '../../domain/approvals/approval.ts';
import type { EnvironmentTransaction } from '../client.ts';
import {
  APPROVAL_JOINS,
  approvalOf,
  type ApprovalRecord,
  type ApprovalRow,
  LISTED_APPROVAL_COLUMNS,
} from './records.ts';

export interface ApprovalFilter extends Range {
  status?: ApprovalStatus | undefined;
  kind?: ApprovalKind | undefined;
  /** Id or name of the action. */
  action?: string | undefined;
  invocationId?: string | undefined;
  effectId?: string | undefined;
}

/** Newest first, ties by id, with large payloads shortened. `total` counts the matches of the filter. */
export async function listApprovals(tx: EnvironmentTransaction, filter: ApprovalFilter): Promise<Page<ApprovalRecord>> {
  const { items, total } = await pageOf<ApprovalRow>(tx, {
    columns: LISTED_APPROVAL_COLUMNS,
    from: 'approvals p',
    joins: APPROVAL_JOINS,
    where: 'p.environment_id = current_environment_id()',
    filters: {
      status: 'p.status = :status',
      kind: 'p.kind = :kind',
      action: 'p.action_id = :action OR p.action_id IN (SELECT id FROM actions WHERE name = :action)',
      invocationId: 'p.invocation_id = :invocationId',
      effectId: 'p.effect_id = :effectId',
    },
    order: 'p.created_at DESC, p.id DESC',
    asked: filter,
  });
  return { items: items.map(approvalOf), total };
}
