import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type ErrorColumns, type RunRecord, withRunError } from './records.ts';

type Row = Omit<RunRecord, 'error'> & ErrorColumns;

/** The runs of a schedule, newest first, each with its messages as they are now. */
export async function listRuns(
  tx: EnvironmentTransaction,
  asked: { scheduleId: string } & Range,
): Promise<Page<RunRecord>> {
  const { items, total } = await pageOf<Row>(tx, {
    columns: `r.trigger, r.nominal_at AS "nominalAt", r.fired_at AS "firedAt", r.outcome, r.error_code AS code, r.error_message AS reason,
        r.event_id AS "eventId",
        COALESCE((SELECT json_agg(json_build_object('messageId', i.id, 'status', m.status) ORDER BY i.position)
          FROM unnest(r.message_ids) WITH ORDINALITY i (id, position) LEFT JOIN messages m ON m.id = i.id), '[]') AS messages`,
    from: 'schedule_runs r',
    where: 'r.schedule_id = :scheduleId',
    order: 'r.nominal_at DESC, r.trigger',
    asked,
  });
  return { items: items.map(withRunError), total };
}
