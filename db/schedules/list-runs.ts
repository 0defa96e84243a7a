import type { RunMessage } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { RunRecord } from './records.ts';

type Row = Omit<RunRecord, 'error'> & { code: string | null; reason: string | null; messages: RunMessage[] };

/** The runs of a schedule, newest first, each with its messages as they are now. */
export async function listRuns(
  tx: EnvironmentTransaction,
  { scheduleId, ...page }: { scheduleId: string; limit: number; offset: number },
): Promise<{ total: number; items: RunRecord[] }> {
  const where = 'WHERE r.schedule_id = :scheduleId';
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM schedule_runs r ${where}`,
    { scheduleId },
  );
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT r.trigger, r.nominal_at AS "nominalAt", r.fired_at AS "firedAt", r.outcome, r.error_code AS code, r.error_message AS reason,
       r.event_id AS "eventId",
       COALESCE((SELECT json_agg(json_build_object('messageId', i.id, 'status', m.status) ORDER BY i.position)
         FROM unnest(r.message_ids) WITH ORDINALITY i (id, position) LEFT JOIN messages m ON m.id = i.id), '[]') AS messages
     FROM schedule_runs r ${where} ORDER BY r.nominal_at DESC, r.trigger LIMIT :limit OFFSET :offset`,
    { scheduleId, ...page },
  );
  const items = rows.map(({ code, reason, ...run }) => ({
    ...run,
    error: code === null || reason === null ? null : { code, message: reason },
  }));
  return { total: counted.rows[0]?.total ?? 0, items };
}
