import type { JsonObject } from '../json.ts';
import { isInternalEventType, type PlatformEventType, type RaisedEventType } from './event-types.ts';
import type { Payload } from './payload.ts';
import * as payloads from './payloads.ts';

/**
 * When each platform event is raised, and its `data`. The OpenAPI `webhooks` and docs/reference/events.md are made of
 * it; tests check docs/events.md and every raised event. The triggers: db/migrations/platform-events.ts.
 */
export interface PlatformEventDeclaration extends Payload {
  /** Completes "Raised when …". */
  raisedWhen: string;
}

export const PLATFORM_EVENTS: Record<PlatformEventType, PlatformEventDeclaration> = {
  'action.created': { raisedWhen: 'an action is created, by itself or by an import', ...payloads.action },
  'action.updated': {
    raisedWhen: 'the name, the description or the definition of an action changes',
    ...payloads.action,
  },
  'action.archived': { raisedWhen: 'an action is archived', ...payloads.action },
  'invocation.settled': {
    raisedWhen: 'an invocation ends, and again where the provider reverses a success',
    ...payloads.invocation,
  },
  'effect.settled': {
    raisedWhen: 'the outcome of an effect becomes known, and again where the provider reverses a success',
    ...payloads.effect,
  },
  'effect.unknown': { raisedWhen: 'nobody knows whether a dispatched effect happened', ...payloads.effect },
  'effect.exhausted': {
    raisedWhen: 'the scheduled reads of an effect have ended without an answer: a person must resolve it',
    ...payloads.exhaustedEffect,
  },
  'effect.resolved': {
    raisedWhen: 'a person resolves an effect, beside `effect.settled`',
    ...payloads.resolvedEffect,
  },
  'approval.requested': { raisedWhen: 'an approval is opened', ...payloads.approval },
  'approval.decided': { raisedWhen: 'an approval is approved or denied for good', ...payloads.approval },
  'approval.expired': { raisedWhen: 'nobody has decided an approval in time', ...payloads.approval },
  'impact_limit.threshold': {
    raisedWhen: 'the use of an impact limit reaches one of its thresholds, once in each period',
    ...payloads.limitThreshold,
  },
  'impact_limit.exceeded': {
    raisedWhen: 'an effect is refused because it would exceed an impact limit, once in each period',
    ...payloads.limitExceeded,
  },
  'budget.threshold': {
    raisedWhen: 'an API key has taken 80 % of a cap of its budget, once in each month and cap',
    ...payloads.budgetThreshold,
  },
  'budget.exceeded': {
    raisedWhen: 'an operation is refused by the budget of an API key, once in each month and cap',
    ...payloads.budgetExceeded,
  },
  'usage.threshold': {
    raisedWhen:
      'a workspace has used 80 or 100 % of an allowance, or a threshold of its alert target, once in each month',
    ...payloads.usage,
  },
  'message.delivered': {
    raisedWhen: 'a message is delivered. Deliveries of events, and alerts, raise none',
    ...payloads.message,
  },
  'message.failed': {
    raisedWhen: 'a message has failed for good and is a dead letter. Deliveries of events, and alerts, raise none',
    ...payloads.message,
  },
  'schedule.failed': {
    raisedWhen: 'a firing of a schedule publishes nothing because of an error, or slots of it were missed',
    ...payloads.schedule,
  },
  'environment.halted': {
    raisedWhen: 'an environment is halted',
    ...payloads.halted,
  },
  'environment.resumed': { raisedWhen: 'a halted environment is resumed', ...payloads.resumed },
  'database.recovered': {
    raisedWhen: 'the database failed over or was restored while the environment had work under way',
    ...payloads.recovered,
  },
  'secret.rotated': {
    raisedWhen: 'a secret gets a new value',
    ...payloads.secret,
  },
  'subscription.disabled': {
    raisedWhen: 'the service disables a subscription that kept failing',
    ...payloads.subscription,
  },
};

/**
 * A platform event's public payload, or an internal event as it was raised. Throws for a snapshot that lacks a column.
 */
export function payloadOf(type: RaisedEventType, snapshot: JsonObject): JsonObject {
  if (!isInternalEventType(type)) return PLATFORM_EVENTS[type].of(snapshot) as JsonObject;
  const { to_channels: toChannels, ...data } = snapshot;
  return toChannels === undefined ? data : { ...data, toChannels };
}
