import type { SubscriptionRecord } from '../../db/events/subscriptions.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AuditEntry } from '../http/define-route.ts';

type Action = `subscription.${'created' | 'updated' | 'deleted' | 'secret_rotated'}`;

/** The host without its path: the paths of webhooks often are credentials, and the audit log is kept for ever. */
export function subscriptionEntry(
  action: Action,
  { id, topicId, topic, url, eventTypes, enabled }: SubscriptionRecord,
  more: JsonObject = {},
): AuditEntry {
  return {
    action,
    target: { type: 'subscription', id },
    details: { topicId, topic, host: new URL(url).host, eventTypes, enabled, ...more },
  };
}
