import { firstDayOf } from '../../domain/billing/periods.ts';
import { type Allowance, PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../client.ts';

/** Percent of an allowance at which a workspace is told. */
const ALLOWANCE_THRESHOLDS: readonly number[] = [80, 100];

/** A threshold that was reached in a month. */
export interface Crossing {
  /** `YYYY-MM`, UTC. */
  month: string;
  /** `spend`: the alert target. */
  meter: Allowance | 'spend';
  /** Percent. */
  threshold: number;
  /** Pieces or bytes; minor units of `currency` for the alert target, as is `allowed`. */
  used: number;
  allowed: number;
  currency: string | null;
}

export interface UsageCrossing extends Crossing, Tenant {
  id: string;
}

/** The thresholds of monthly allowances that were reached in this month and that nobody was told of, in the order of their ids. */
export async function findUsageCrossings(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<UsageCrossing[]> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances]));
  const { rows } = await db.directory.raw<{ rows: Omit<UsageCrossing, 'currency'>[] }>(
    `SELECT id, workspace_id AS "workspaceId", environment_id AS "environmentId", to_char(month, 'YYYY-MM') AS month, meter, threshold,
       used::float8 AS used, allowed::float8 AS allowed
     FROM find_usage_crossings(CAST(:limits AS jsonb), CAST(:thresholds AS integer[]), :afterId, :limit)`,
    { ...page, limits: JSON.stringify(limits), thresholds: ALLOWANCE_THRESHOLDS },
  );
  return rows.map((row) => ({ ...row, currency: null }));
}

/** Notes that a threshold was reached, in the environment where it is told; a trigger raises its event. Once: a repeated call changes nothing. */
export async function noteCrossing(tx: EnvironmentTransaction, crossing: Crossing): Promise<void> {
  const { month, meter, threshold, used, allowed, currency } = crossing;
  await tx.raw(
    `INSERT INTO usage_crossings (workspace_id, month, meter, threshold, environment_id, used, allowed, currency)
     VALUES (current_workspace_id(), CAST(:month AS date), :meter, :threshold, current_environment_id(), :used, :allowed, :currency)
     ON CONFLICT DO NOTHING`,
    { month: firstDayOf(month), meter, threshold, used, allowed, currency },
  );
}
