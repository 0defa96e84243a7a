import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { LIVE_LIMITS_MAX } from '../../domain/impact-limits/limits.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import type { LimitRecord } from './records.ts';

export type NewLimit = Omit<LimitRecord, 'id' | 'createdAt' | 'updatedAt' | 'archivedAt'>;

/** Creates a limit and returns its id. Throws CONFLICT where a live limit has the name, QUOTA_EXCEEDED where there are too many. */
export async function createImpactLimit(tx: EnvironmentTransaction, limit: NewLimit): Promise<string> {
  // Serialized: two requests that counted at the same time would both miss the other's limit.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('impact-limits/' || current_environment_id(), 0))");
  const { rows } = await tx.raw<{ rows: { live: number }[] }>(
    'SELECT count(*)::int AS live FROM impact_limits WHERE environment_id = current_environment_id() AND archived_at IS NULL',
  );
  if ((rows[0]?.live ?? 0) >= LIVE_LIMITS_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `An environment has at most ${LIVE_LIMITS_MAX} impact limits that are not archived. Archive one that is no longer needed.`,
    });
  }
  const id = newId('impactLimit');
  await tx
    .raw(
      `INSERT INTO impact_limits (id, environment_id, name, dimension, currency, cap, period, timezone, scope, thresholds)
       VALUES (:id, current_environment_id(), :name, :dimension, :currency, :cap, :period, :timezone, :scope, :thresholds)`,
      { ...limit, id, scope: JSON.stringify(limit.scope) },
    )
    .catch(nameTaken('impact_limits_live_name', limit.name));
  return id;
}
