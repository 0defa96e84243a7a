import { addDecision, lockApproval } from '../../../db/approvals/decisions.ts';
import { releaseInvocation } from '../../../db/invocations/changes.ts';
import { keyPrincipal } from '../../harness/keys.ts';
import type { ActivityWorld } from './world.ts';

/** One key approves, as `api/approvals` has it recorded, and the invocation goes on. */
export async function agreeTo(world: ActivityWorld, invocationId: string): Promise<void> {
  const [approval] = await world.database.asOwner<{ id: string; digest: string }>(
    'SELECT id, binding_digest AS digest FROM approvals WHERE invocation_id = $1',
    [invocationId],
  );
  if (!approval) throw new Error(`invocation ${invocationId} waits for no approval`);
  const { id: approvalId, digest: bindingDigest } = approval;
  const principal = keyPrincipal('key_alice');
  await world.transaction(async (tx) => {
    await lockApproval(tx, approvalId);
    await addDecision(tx, { approvalId, decision: 'approve', note: null, bindingDigest, principal, session: null });
    await releaseInvocation(tx, invocationId);
  });
}
