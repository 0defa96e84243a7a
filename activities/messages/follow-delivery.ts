import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { noteFailedDelivery, resetFailureClock } from '../../db/events/deliveries.ts';
import type { MessageRef } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { EventDeliveryEnd } from './settle-attempt.ts';

/**
 * Moves the clock of the subscription whose delivery the same transaction has settled. Null: the ended message was no delivery of an
 * event, or nothing ended. It is called last in the transaction: the holder of the subscription's row, and then of the end of the audit
 * log's chain, waits for no other lock.
 */
export async function followDelivery(
  tx: EnvironmentTransaction,
  { logger }: Pick<ActivityDependencies, 'logger'>,
  ref: MessageRef,
  ended: EventDeliveryEnd | null,
): Promise<void> {
  if (ended === null) return;
  if (ended.isDelivered) return resetFailureClock(tx, ended);
  const disabled = await noteFailedDelivery(tx, ended);
  if (disabled === null) return;
  const { subscriptionId } = ended;
  logger.warn({ ...ref, subscriptionId }, 'a subscription is disabled: every delivery failed for five days');
  await recordAudit(tx, {
    workspaceId: ref.workspaceId,
    actor: { type: 'system', id: null },
    action: 'subscription.disabled',
    target: { type: 'subscription', id: subscriptionId },
    details: { failingSince: disabled.failingSince.toISOString() },
  });
}
