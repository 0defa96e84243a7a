import type { Exposure, LimitPeriod, LimitScope, ReservationState } from '../../domain/impact-limits/limits.ts';

/** A limit without its counters. Amounts are exact: the database keeps them below 2^53. */
export interface LimitRecord {
  id: string;
  name: string;
  dimension: string;
  currency: string | null;
  cap: number;
  period: LimitPeriod;
  timezone: string;
  scope: LimitScope;
  thresholds: number[];
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

export const LIMIT_COLUMNS = `
  l.id, l.name, l.dimension, l.currency, CAST(l.cap AS float8) AS cap, l.period, l.timezone, l.scope, l.thresholds,
  l.created_at AS "createdAt", l.updated_at AS "updatedAt", l.archived_at AS "archivedAt"`;

/** A threshold that was reached or, with `threshold: null`, a refused reservation. Recorded once for each period. */
export interface CrossingRecord {
  period: string;
  threshold: number | null;
  used: number;
  /** The amount of the refused reservation; null for a threshold. */
  requested: number | null;
  cap: number;
  crossedAt: Date;
}

/** A limit with its current counters. */
export interface LimitDetail extends LimitRecord {
  /** Null for `per_effect`. */
  currentPeriod: string | null;
  resetsAt: Date | null;
  /** In the current period. */
  reserved: number;
  settled: number;
  available: number;
  /** Held now, over all periods: an unknown outcome holds its allowance until it is known. */
  exposures: { unknown: number; pending: number };
  /** Those of the current period, newest first; for `per_effect`, the newest ones. */
  crossings: CrossingRecord[];
}

/** A reservation of an effect, with the part of its limit that a reader needs. */
export interface ReservationRecord {
  id: string;
  effectId: string;
  limitId: string;
  name: string;
  dimension: string;
  currency: string | null;
  period: string;
  amount: number;
  state: ReservationState;
  exposure: Exposure | null;
  settled: number;
  released: number;
  createdAt: Date;
  /** When it reached its state: settled, released, or given back by a late reversal. */
  finishedAt: Date | null;
}
