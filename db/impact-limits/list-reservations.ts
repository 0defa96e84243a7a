import type { EnvironmentTransaction } from '../client.ts';
import type { ReservationRecord } from './records.ts';

/** The reservations of several effects, ordered by effect and limit. */
export async function listReservations(
  tx: EnvironmentTransaction,
  effectIds: readonly string[],
): Promise<ReservationRecord[]> {
  const { rows } = await tx.raw<{ rows: ReservationRecord[] }>(
    `SELECT r.id, r.effect_id AS "effectId", r.limit_id AS "limitId", l.name, l.dimension, l.currency, r.period,
       CAST(r.amount AS float8) AS amount, r.state, r.exposure, CAST(r.settled AS float8) AS settled,
       CAST(r.released AS float8) AS released, r.created_at AS "createdAt", COALESCE(r.reversed_at, r.finished_at) AS "finishedAt"
     FROM impact_reservations r JOIN impact_limits l ON l.id = r.limit_id
     WHERE r.effect_id = ANY(?) ORDER BY r.effect_id, r.limit_id`,
    [effectIds],
  );
  return rows;
}
