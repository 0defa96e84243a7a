import type { SubscriptionRecord } from '../../db/events/subscriptions.ts';
import type { JsonObject } from '../../domain/json.ts';
import { auditedHost } from '../audit/audited-host.ts';
import type { AuditEntry } from '../http/define-route.ts';

type Action = `subscription.${'created' | 'updated' | 'deleted' | 'secret_rotated'}`;

export function subscriptionEntry(
  action: Action,
  { id, topicId, topic, url, eventTypes, enabled }: SubscriptionRecord,
  more: JsonObject = {},
): AuditEntry {
  return {
    action,
    target: { type: 'subscription', id },
    details: { topicId, topic, host: auditedHost(url), eventTypes, enabled, ...more },
  };
}
