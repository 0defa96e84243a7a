import { endApproval } from '../../db/approvals/changes.ts';
import { lockApproval } from '../../db/approvals/decisions.ts';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { endParkedInvocation } from '../../db/effects/settlement.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import { refusalText } from '../../domain/refusals.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { RecordGone } from '../../domain/record-gone.ts';

type Ended = Pick<ActivityDependencies, 'db' | 'logger'>;

/** Expires an undecided approval and ends its invocation. `at` is the clock of the workflow. Idempotent. */
export function expireApproval(deps: Ended) {
  return async ({ at, ...ref }: ApprovalRef & { at: string }): Promise<void> => {
    const when = new Date(at);
    await end(deps, ref, 'expired', when, (approval) => approval.expiresAt <= when);
  };
}

/** Cancels an approval whose workflow was cancelled, and its invocation. A decided approval stays as it is. Idempotent. */
export function cancelApproval(deps: Ended) {
  return async (ref: ApprovalRef): Promise<void> => end(deps, ref, 'cancelled', new Date(), () => true);
}

async function end(
  deps: Ended,
  ref: ApprovalRef,
  status: 'expired' | 'cancelled',
  at: Date,
  mayEnd: (approval: ApprovalRecord) => boolean,
): Promise<void> {
  const ended = await deps.db.withEnvironment(ref, async (tx) => {
    const approval = await lockApproval(tx, ref.approvalId);
    if (approval === null) throw new RecordGone(`approval ${ref.approvalId} is gone`);
    if (approval.status !== 'pending' || !mayEnd(approval)) return false;
    await endApproval(tx, approval.id, { status, at });
    await endInvocationOf(tx, approval, status, at);
    await recordAudit(tx, {
      workspaceId: ref.workspaceId,
      actor: { type: 'system', id: null },
      action: `approval.${status}`,
      target: { type: 'approval', id: approval.id },
      details: { invocationId: approval.invocationId, bindingDigest: approval.bindingDigest },
    });
    return true;
  });
  if (ended) deps.logger.info({ ...ref, status }, 'an approval ended without a decision');
}

async function endInvocationOf(
  tx: EnvironmentTransaction,
  approval: ApprovalRecord,
  status: 'expired' | 'cancelled',
  at: Date,
): Promise<void> {
  const { invocationId } = approval;
  if (invocationId === null) return;
  const summary =
    status === 'expired'
      ? `nobody decided approval ${approval.id} before ${approval.expiresAt.toISOString()}`
      : `cancelled while it waited for approval ${approval.id}`;
  const error = refusalText({ code: `approval_${status}`, message: summary });
  await endParkedInvocation(tx, { ...approval, invocationId }, { status, error, summary, at });
}
