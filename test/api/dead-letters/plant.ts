import { newId } from '../../../domain/ids.ts';
import type { TestDatabase } from '../../harness/database.ts';

export interface Planted {
  count?: number;
  url?: string;
  label?: string | null;
  reason?: string;
  responseStatus?: number | null;
  scheduleId?: string | null;
  urlGroupId?: string | null;
  maxRetries?: number;
  /** The id of a flow-control key of the environment. */
  flowControlKeyId?: string | null;
  /** Milliseconds before now. */
  failedAgoMs?: number;
}

/** Messages that failed with their dead letters, by SQL: as many as one asks for. Returns their ids in order. */
export async function plantDeadLetters(
  database: Pick<TestDatabase, 'asOwner' | 'tenant'>,
  planted: Planted = {},
  { environmentId } = database.tenant,
): Promise<string[]> {
  const { count = 1, url = 'https://example.com/hook', label = null, reason = 'retries_exhausted' } = planted;
  const { responseStatus = 500, scheduleId = null, urlGroupId = null, maxRetries = 0, failedAgoMs = 0 } = planted;
  const { flowControlKeyId = null } = planted;
  const ids = Array.from({ length: count }, () => newId('message'));
  await database.asOwner(
    `WITH content AS (
       INSERT INTO message_contents (message_id, environment_id, body, body_kind)
       SELECT id, $2, id, 'text' FROM unnest($1::text[]) u (id))
     INSERT INTO messages (id, environment_id, url, method, label, schedule_id, url_group_id, url_group_endpoint_id,
       max_retries, retry_delays_ms, timeout_seconds, flow_control_key_id, flow_control_key, retention, published_by, status, next_attempt_at)
     SELECT id, $2, $3, 'POST', $4, $5, $6, CASE WHEN $6::text IS NOT NULL THEN gen_random_uuid() END,
       $7, '{}', 5, $8::text, (SELECT k.key FROM lanes k WHERE k.id = $8), 'month', '{"type":"api_key","id":null}', 'pending', now() FROM unnest($1::text[]) u (id)`,
    [ids, environmentId, url, label, scheduleId, urlGroupId, maxRetries, flowControlKeyId],
  );
  await database.asOwner(`UPDATE messages SET status = 'processing', attempts = 1 WHERE id = ANY($1)`, [ids]);
  await database.asOwner(
    `UPDATE messages SET status = 'failed', failed_at = now(), response_status = $2, error_message = 'planted' WHERE id = ANY($1)`,
    [ids, responseStatus],
  );
  await database.asOwner(
    `INSERT INTO dead_letters (message_id, environment_id, retention, reason, url, url_group_id, schedule_id, response_status, label, last_attempt_at, failed_at)
     SELECT m.id, m.environment_id, m.retention, $2, m.url, m.url_group_id, m.schedule_id, m.response_status, m.label, now(),
       now() - $3 * interval '1 millisecond' FROM messages m WHERE m.id = ANY($1)`,
    [ids, reason, failedAgoMs],
  );
  return ids.toSorted();
}
