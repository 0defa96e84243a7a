import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { lockFailureClocks, noteFailedDelivery, resetFailureClocks } from '../../db/events/deliveries.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { SettledAttempt } from './send-attempt.ts';

/**
 * Moves the clocks of the subscriptions whose deliveries the same transaction has settled. It is called last in the transaction: the holder
 * of the subscriptions' rows, and then of the end of the audit log's chain, waits for no other lock. A delivery beside a failure resets the
 * clock.
 */
export async function followDeliveries(
  tx: EnvironmentTransaction,
  { logger }: Pick<ActivityDependencies, 'logger'>,
  tenant: Tenant,
  settled: readonly SettledAttempt[],
): Promise<void> {
  const ends = settled.flatMap(({ work: { subscriptionId, url }, outcome }) =>
    subscriptionId === null || outcome.kind === 'retry' ? [] : [{ subscriptionId, url, kind: outcome.kind }],
  );
  const failed = ends.filter(({ kind }) => kind === 'failed');
  const delivered = ends.filter(({ kind }) => kind === 'delivered');
  if (failed.length > 0) await lockFailureClocks(tx, ends);
  for (const { subscriptionId, url } of failed) {
    const disabled = await noteFailedDelivery(tx, { subscriptionId, url });
    if (disabled === null) continue;
    logger.warn({ ...tenant, subscriptionId }, 'a subscription is disabled: every delivery failed for five days');
    await recordAudit(tx, {
      workspaceId: tenant.workspaceId,
      actor: { type: 'system', id: null },
      action: 'subscription.disabled',
      target: { type: 'subscription', id: subscriptionId },
      details: { failingSince: disabled.failingSince.toISOString() },
    });
  }
  await resetFailureClocks(tx, delivered);
}
