import { SERVICE_TOPIC } from '../../domain/events/events.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The id of the reserved topic, where somebody subscribes to it. */
export async function findHeardServiceTopic(tx: EnvironmentTransaction): Promise<string | null> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT t.id FROM topics t WHERE t.environment_id = current_environment_id() AND t.name = ? AND EXISTS (
       SELECT FROM event_subscriptions s WHERE s.environment_id = current_environment_id() AND s.of_service AND s.enabled AND s.deleted_at IS NULL)`,
    [SERVICE_TOPIC],
  );
  return rows[0]?.id ?? null;
}
