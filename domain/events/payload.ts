import { z } from 'zod';

/**
 * The public payload of a platform event: what its `data` holds, as the documentation shows it, and the pure function that makes it of the
 * snapshot in the outbox. db/migrations/platform-events.ts says what snapshots hold. A column that a later release adds to a snapshot
 * is optional in `row`: rows that the earlier release left are relayed too.
 */
export interface Payload {
  data: z.ZodObject;
  /** @throws {z.ZodError} where the snapshot lacks a column */
  of: (snapshot: unknown) => Record<string, unknown>;
}

export function payload<Data extends z.ZodObject, Row extends z.ZodObject>(
  data: Data,
  row: Row,
  of: (row: z.output<Row>) => z.input<Data>,
): Payload {
  return { data, of: (snapshot) => of(row.parse(snapshot)) };
}

export const dateTime = z.iso.datetime();
export const text = z.string();
export const count = z.int().min(0);
export const version = z.int().min(1);
export const actor = z.strictObject({ type: text, id: text.nullable() });
/** A column with an actor, which may have more members than events show. */
export const actorColumn = z.object(actor.shape);
/** A column with a time, as `to_jsonb` writes it, in the form of the API. */
export const time = z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString());
/** A column with the first day of a month. */
export const month = z.iso.date().transform((day) => day.slice(0, 'YYYY-MM'.length));
