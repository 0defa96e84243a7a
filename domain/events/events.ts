import type { Json } from '../json.ts';
import { isId } from '../ids.ts';

/** Topics, subscriptions and events: docs/events.md. */
export const SERVICE_TOPIC = 'service';

/** The limits: docs/events.md, "Limits". */
export const TOPICS_PER_ENVIRONMENT_MAX = 1_000;
export const SUBSCRIPTIONS_PER_TOPIC_MAX = 10_000;
export const TOPIC_NAME_CHARACTERS_MAX = 100;
export const TOPIC_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
export const TOPIC_DESCRIPTION_CHARACTERS_MAX = 500;
export const EVENT_TYPE = /^[a-zA-Z0-9_.-]{1,128}$/;
export const EVENT_ID = /^[A-Za-z0-9_.:-]{1,128}$/;
export const EVENT_TYPES_PER_SUBSCRIPTION_MAX = 50;
export const EVENT_HEADERS_MAX = 30;
/** Each subscription has a copy. */
export const EVENT_DATA_BYTES_MAX = 256 * 1024;
export const GRACE_PERIOD_SECONDS_DEFAULT = 86_400;
export const GRACE_PERIOD_SECONDS_MAX = 604_800;

/** The type of the event that `POST …/test` sends. */
export const TEST_EVENT_TYPE = 'test';

/** Subscriptions that one page of a fan-out looks at, and the bytes of the messages that it makes at most. */
export const FAN_OUT_PAGE_SIZE = 200;
export const FAN_OUT_PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Where an event's rows are found: what a workflow holds of it. */
export interface EventRef {
  eventId: string;
  workspaceId: string;
  environmentId: string;
}

/** The result of a page. */
export type FanOutStep = { next: 'go on' } | { next: 'end'; status: 'fanned_out' | 'failed'; deliveries: number };

/** What is delivered: the body of every message of the event, in this order. */
export interface EventBody {
  id: string;
  type: string;
  timestamp: string;
  topic: string;
  environmentId: string;
  data: Json;
}

/** A name is told apart from an id by its form. */
export function topicNameIssue(name: string): string | null {
  if (!TOPIC_NAME.test(name)) return 'must begin with a letter or a digit and have letters, digits, _ . - only';
  return isId('topic', name) ? 'must not have the form of an id (top_…)' : null;
}

const PATTERN = /^(\*|[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*(\.\*)?)$/;

/** A pattern is a type, `*` for every type, or a prefix and `.*` for all types below it. */
export function isEventTypePattern(pattern: string): boolean {
  return pattern.length <= 128 && PATTERN.test(pattern);
}

/** Whether a subscription with these patterns gets events of a type. `order.*` is for `order.paid` and `order.item.added`, and not for `order`. */
export function matchesEventType(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === type) return true;
    return pattern.endsWith('.*') && type.length > pattern.length - 1 && type.startsWith(pattern.slice(0, -1));
  });
}
