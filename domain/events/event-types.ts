/** The types of platform events: what the service tells of itself on the topic `service`. Their data: platform-events.ts. */
export const PLATFORM_EVENT_TYPES = [
  'action.created',
  'action.updated',
  'action.archived',
  'invocation.settled',
  'effect.settled',
  'effect.unknown',
  'effect.exhausted',
  'effect.resolved',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'impact_limit.threshold',
  'impact_limit.exceeded',
  'budget.threshold',
  'budget.exceeded',
  'usage.threshold',
  'message.delivered',
  'message.failed',
  'schedule.failed',
  'environment.halted',
  'environment.resumed',
  'database.recovered',
  'secret.rotated',
  'subscription.disabled',
] as const;
export type PlatformEventType = (typeof PLATFORM_EVENT_TYPES)[number];

/** Raised for notifications alone: no platform events, and on no topic. */
export const INTERNAL_EVENT_TYPES = [
  'approval.expiring',
  'signing_key.rotated',
  'notification_preferences.updated',
] as const;
export type InternalEventType = (typeof INTERNAL_EVENT_TYPES)[number];

export type RaisedEventType = PlatformEventType | InternalEventType;

export function isInternalEventType(type: string): type is InternalEventType {
  return (INTERNAL_EVENT_TYPES as readonly string[]).includes(type);
}

/** Raised without a subscription too, because people are notified (docs/events.md, "Platform events"). */
export const NOTIFIED_EVENT_TYPES = [
  'approval.requested',
  'effect.unknown',
  'effect.exhausted',
  'impact_limit.threshold',
  'impact_limit.exceeded',
  'budget.threshold',
  'budget.exceeded',
  'usage.threshold',
  'message.failed',
  'environment.halted',
  'environment.resumed',
  'subscription.disabled',
] as const satisfies readonly PlatformEventType[];
