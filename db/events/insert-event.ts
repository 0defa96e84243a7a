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
  /** 1: its one message is made in the same transaction, and it is not fanned out. */
  deliveries?: 0 | 1;
}

/** As the class of its messages (db/messages/insert-messages.ts). */
const RETENTION = `(SELECT CASE plan ${PLANS.map((plan) => `WHEN '${plan}' THEN '${PLAN_TABLE[plan].messageRetention}'`).join(' ')} END
  FROM workspaces WHERE id = current_workspace_id())`;

/**
 * Accepts an event, to be fanned out. Where nobody subscribes to its topic it is fanned out at once. Null where its publisher's id was
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
       CASE WHEN s.heard THEN 'fanning_out' ELSE 'fanned_out' END, CASE WHEN NOT s.heard THEN now() END
     FROM (SELECT CAST(:deliveries AS integer) = 0
         AND EXISTS (SELECT FROM event_subscriptions WHERE topic_id = :topicId AND enabled AND deleted_at IS NULL) AS heard) s
     ON CONFLICT (environment_id, public_id) DO NOTHING RETURNING fanned_out_at IS NOT NULL AS "isFannedOut"`,
    { ...rest, id, deliveries, publicId: ownId ?? id, publishedBy: JSON.stringify(publishedBy) },
  );
  return rows[0] === undefined ? null : { id, isFannedOut: rows[0].isFannedOut };
}
