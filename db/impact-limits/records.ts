import type { Exposure, LimitPeriod, LimitScope, ReservationState } from '../../domain/impact-limits/limits.ts';

/** A limit as it stands, without its counters. Amounts are exact: the database keeps them below 2^53. */
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

/** A threshold that was reached, or (`threshold: null`) a reservation that was refused: once for each period. */
export interface CrossingRecord {
  period: string;
  threshold: number | null;
  used: number;
  /** By the reservation that was refused. */
  requested: number | null;
  cap: number;
  crossedAt: Date;
}

/** A limit with what is used of it now. */
export interface LimitDetail extends LimitRecord {
  /** Null for `per_effect`. */
  currentPeriod: string | null;
  resetsAt: Date | null;
  /** In the current period. */
  reserved: number;
  settled: number;
  available: number;
  /** Held now, of every period: an unknown outcome holds its allowance for as long as it is unknown. */
  exposures: { unknown: number; pending: number };
  /** Of the current period; of `per_effect`, the newest. Newest first. */
  crossings: CrossingRecord[];
}

/** A reservation of an effect, with what a reader must know of its limit. */
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
  /** When it came to where it is: settled, released, or given back by a late reversal. */
  finishedAt: Date | null;
}
