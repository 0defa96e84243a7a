import { ServiceError } from '../../domain/errors.ts';
import { PLAN_TABLE, type PlanName } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';

const MINUTES_PER_HOUR = 60;

interface Row {
  plan: PlanName;
  firingsPerHour: string;
}

/**
 * Whether the active schedules of the workspace, in all its environments, fire no oftener than its plan includes. Call it behind the row
 * that fires oftener than before. The lock lasts to the commit, so that two that ask at once cannot both pass.
 * @throws {ServiceError} QUOTA_EXCEEDED (docs/plans-and-limits.md, "Firings of schedules").
 */
export async function refuseTooManyFirings(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('schedule-firings/' || current_workspace_id(), 0))");
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT plan, active_firings_per_hour() AS "firingsPerHour" FROM workspaces WHERE id = current_workspace_id()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a schedule belongs to a workspace that exists');
  const { title, scheduleFiringsPerMinute: included } = PLAN_TABLE[row.plan];
  const perMinute = Number(row.firingsPerHour) / MINUTES_PER_HOUR;
  if (perMinute <= included) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${title} plan includes ${included} firings of schedules a minute, and with this schedule those of the workspace that are not ` +
      `paused would make ${perMinute.toFixed(1)}. Let one fire less often, or pause or delete one; a larger plan has more.`,
  });
}
