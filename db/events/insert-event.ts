import { newId } from '../../domain/ids.ts';
import { PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { Publishing } from './records.ts';

export interface NewEvent {
  topicId: string;
  /** Its publisher's id for it. */
  ownId: string | null;
  type: string;
  /** JSON. */
  data: string;
  occurredAt: Date;
  publishedBy: Publishing;
  /** Whether a subscription wants its type (`findHeardTypes`): it is to be fanned out. */
  isHeard: boolean;
  /** 1: its one message is made in the same transaction. */
  deliveries?: 0 | 1;
}

/** As the class of its messages (db/messages/insert-messages.ts). */
const RETENTION = `(SELECT CASE plan ${PLANS.map((plan) => `WHEN '${plan}' THEN '${PLAN_TABLE[plan].messageRetention}'`).join(' ')} END
  FROM workspaces WHERE id = current_workspace_id())`;

/**
 * Accepts an event, to be fanned out. Where nobody subscribes to its type it is fanned out at once. Null where its publisher's id was
 * used before: that event stands.
 */
export async function insertEvent(
  tx: EnvironmentTransaction,
  event: NewEvent,
): Promise<{ id: string; isFannedOut: boolean } | null> {
  const id = newId('event');
  const { ownId, publishedBy, deliveries = 0, ...rest } = event;
  const { rows } = await tx.raw<{ rows: { isFannedOut: boolean }[] }>(
    `INSERT INTO events (id, environment_id, topic_id, public_id, type, data, occurred_at, published_by, retention, deliveries, status, fanned_out_at)
     SELECT :id, current_environment_id(), :topicId, :publicId, :type, CAST(:data AS json), :occurredAt, CAST(:publishedBy AS jsonb), ${RETENTION}, CAST(:deliveries AS integer),
       CASE WHEN :isHeard THEN 'fanning_out' ELSE 'fanned_out' END, CASE WHEN NOT :isHeard THEN now() END
     ON CONFLICT (environment_id, public_id) DO NOTHING RETURNING fanned_out_at IS NOT NULL AS "isFannedOut"`,
    { ...rest, id, deliveries, publicId: ownId ?? id, publishedBy: JSON.stringify(publishedBy) },
  );
  return rows[0] === undefined ? null : { id, isFannedOut: rows[0].isFannedOut };
}
