import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { type Allowance, allowancesOf } from '../../db/impact-limits/list-allowances.ts';
import { listPreviewsById } from '../../db/previews/list-previews-by-id.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import type { ShownApproval } from './schemas.ts';

/** Approvals with their previews, and with what remains of the limits now where they are pending. In the order given. */
export async function showApprovals(
  tx: EnvironmentTransaction,
  approvals: readonly ApprovalRecord[],
): Promise<ShownApproval[]> {
  const ids = approvals.flatMap(({ previewId }) => (previewId === null ? [] : [previewId]));
  const previews = new Map((ids.length === 0 ? [] : await listPreviewsById(tx, ids)).map((each) => [each.id, each]));
  const shown: ShownApproval[] = [];
  for (const approval of approvals) {
    const preview = approval.previewId === null ? null : (previews.get(approval.previewId) ?? null);
    shown.push({ approval, preview, allowances: await allowancesNow(tx, approval, preview) });
  }
  return shown;
}

export async function showApproval(tx: EnvironmentTransaction, approval: ApprovalRecord): Promise<ShownApproval> {
  const [shown] = await showApprovals(tx, [approval]);
  if (!shown) throw new Error('one approval was given and none is shown');
  return shown;
}

async function allowancesNow(
  tx: EnvironmentTransaction,
  approval: ApprovalRecord,
  preview: PreviewRecord | null,
): Promise<Allowance[]> {
  if (preview === null) return [];
  if (approval.status !== 'pending' || preview.impact.length === 0) return preview.allowances;
  return allowancesOf(tx, {
    impact: preview.impact,
    actionName: preview.actionName,
    adapterType: preview.adapterType,
    apiKeyId: approval.requestedBy.type === 'api_key' ? approval.requestedBy.id : null,
    agentId: preview.agentId,
    target: preview.target,
  });
}
