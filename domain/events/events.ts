import type { Json } from '../json.ts';

/** The reserved topic of platform events: docs/events.md. */
export const SERVICE_TOPIC = 'service';
/** The type of the event that tests a subscription. Callers choose neither it nor its data, so that no test looks like another event. */
export const TEST_EVENT_TYPE = 'subscription.test';

/** Subscriptions that one page of a fan-out looks at, and the bytes of the messages that it makes at most. */
export const FAN_OUT_PAGE_SIZE = 200;
export const FAN_OUT_PAGE_BYTES_MAX = 4 * 1024 * 1024;

export interface EventRef {
  eventId: string;
  workspaceId: string;
  environmentId: string;
}

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

/**
 * A pattern is a type, `*`, or a prefix and `.*` for all types below it: `order.*` matches `order.paid`, not `order`.
 */
export function matchesEventType(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === type) return true;
    return pattern.endsWith('.*') && type.length > pattern.length - 1 && type.startsWith(pattern.slice(0, -1));
  });
}

/** Every pattern that matches a type: `*`, the type, and each of its prefixes that ends before a dot, with `.*`. */
export function patternsMatching(type: string): string[] {
  const dots = [...type.matchAll(/\./g)].map(({ index }) => index).filter((index) => index + 1 < type.length);
  return ['*', type, ...dots.map((index) => `${type.slice(0, index)}.*`)];
}
