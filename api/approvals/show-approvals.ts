import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { type Allowance, readLimits } from '../../db/impact-limits/allowances.ts';
import { listPreviewsById, listShortenedPreviewsById } from '../../db/previews/queries.ts';
import type { ListedPreviewRecord } from '../../db/previews/records.ts';
import type { ListedApproval, ShownApproval } from './schemas.ts';

/** Pending ones show what remains of the limits now. Keeps the given order. */
export async function showApprovals(
  tx: EnvironmentTransaction,
  approvals: readonly ApprovalRecord[],
): Promise<ListedApproval[]> {
  const ids = approvals.flatMap(({ previewId }) => (previewId === null ? [] : [previewId]));
  const found = ids.length === 0 ? [] : await listShortenedPreviewsById(tx, ids);
  const previews = new Map(found.map((each) => [each.id, each]));
  const shown: ListedApproval[] = [];
  for (const approval of approvals) {
    const preview = approval.previewId === null ? null : (previews.get(approval.previewId) ?? null);
    shown.push({ approval, preview, allowances: await allowancesNow(tx, approval, preview) });
  }
  return shown;
}

export async function showApproval(tx: EnvironmentTransaction, approval: ApprovalRecord): Promise<ShownApproval> {
  const { previewId } = approval;
  const [preview = null] = previewId === null ? [] : await listPreviewsById(tx, [previewId]);
  return { approval, preview, allowances: await allowancesNow(tx, approval, preview) };
}

async function allowancesNow(
  tx: EnvironmentTransaction,
  approval: ApprovalRecord,
  preview: Pick<
    ListedPreviewRecord,
    'impact' | 'actionName' | 'adapterType' | 'agentId' | 'target' | 'allowances'
  > | null,
): Promise<Allowance[]> {
  if (preview === null) return [];
  if (approval.status !== 'pending' || preview.impact.length === 0) return preview.allowances;
  const limits = await readLimits(
    tx,
    {
      impact: preview.impact,
      actionName: preview.actionName,
      adapterType: preview.adapterType,
      apiKeyId: approval.requestedBy.type === 'api_key' ? approval.requestedBy.id : null,
      agentId: preview.agentId,
      target: preview.target,
    },
    new Date(),
  );
  return limits.allowances;
}
