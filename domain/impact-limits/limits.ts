/** The words of impact limits. What each means: docs/impact-limits.md. */
export const LIMIT_PERIODS = ['per_effect', 'hour', 'day', 'week', 'month', 'lifetime'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

export const RESERVATION_STATES = ['reserved', 'settled', 'released'] as const;
export type ReservationState = (typeof RESERVATION_STATES)[number];

export const EXPOSURES = ['dispatching', 'pending', 'unknown', 'partial'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** Live limits of one environment. Every governed dispatch reads all of them. */
export const LIVE_LIMITS_MAX = 100;
export const THRESHOLDS_MAX = 10;
export const MONEY = 'money';

/** Which effects a limit applies to: every given member must match, a list by one of its entries. `{}`: all effects. */
export interface LimitScope {
  /** Names of actions; `*` matches any run of characters. */
  actions?: string[] | undefined;
  /** Adapter types, with `*` too. */
  adapters?: string[] | undefined;
  apiKeys?: string[] | undefined;
  agentIds?: string[] | undefined;
  /** A path into the effect's target, and the value required there. */
  target?: { path: string; equals: string | number | boolean } | undefined;
}

/** What a limit counts, and over which period. Fixed for the limit's life. */
export interface LimitTerms {
  dimension: string;
  currency: string | null;
  period: LimitPeriod;
  /** IANA name: where the hours, days, weeks and months of the limit begin. */
  timezone: string;
  scope: LimitScope;
}

export function unitOf({ dimension }: Pick<LimitTerms, 'dimension'>): string {
  return dimension === MONEY ? 'minor_units' : dimension;
}

/** The same for people: `usd minor units`, `emails`. */
export function unitText({ dimension, currency }: Pick<LimitTerms, 'dimension' | 'currency'>): string {
  return dimension === MONEY ? `${currency ?? ''} minor units`.trimStart() : dimension;
}
