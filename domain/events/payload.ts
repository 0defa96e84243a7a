import { z } from 'zod';

/**
 * The public payload of a platform event: what its `data` holds, as the documentation shows it, and the pure function that makes it of the
 * snapshot in the outbox. db/migrations/platform-events.ts says what snapshots hold. A column that a later release adds to a snapshot
 * is optional here: rows that the earlier release left are relayed too.
 */
export interface Payload {
  data: z.ZodObject;
  /** @throws {z.ZodError} where the snapshot lacks a column */
  of: (snapshot: unknown) => Record<string, unknown>;
}

/** A member that is not made of the column with its own name. */
export class Made<Shown extends z.ZodType = z.ZodType> {
  readonly shown: Shown;
  readonly read: z.ZodType<z.output<Shown>>;

  /** @param read over the whole snapshot */
  constructor(shown: Shown, read: z.ZodType<z.output<Shown>>) {
    this.shown = shown;
    this.read = read;
  }
}

/** What a payload holds: the schema of each member. Without more said, the column of `effectId` is `effect_id`. */
export type Members = Readonly<Record<string, z.ZodType | Made>>;

export const text = z.string();
export const count = z.int().min(0);
export const version = z.int().min(1);
export const actor = z.strictObject({ type: text, id: text.nullable() });
export const dateTime = z.iso.datetime();
export const dateTimeOrNull = dateTime.nullable();
export const month = z.string().regex(/^\d{4}-\d{2}$/);

const time = z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString());
/** How columns are read whose JSON differs from what events show: an actor may have more members, a time another offset. */
const READ_AS: ReadonlyMap<z.ZodType, z.ZodType> = new Map<z.ZodType, z.ZodType>([
  [actor, z.object(actor.shape)],
  [dateTime, time],
  [dateTimeOrNull, time.nullable()],
  [month, z.iso.date().transform((day) => day.slice(0, 'YYYY-MM'.length))],
]);

/** A member that shows the column of another name. */
export function from<Shown extends z.ZodType>(
  column: string,
  shown: Shown,
  read: z.ZodType = READ_AS.get(shown) ?? shown,
): Made<Shown> {
  const row = z.object({ [column]: read }).transform((snapshot) => snapshot[column] as z.output<Shown>);
  return new Made(shown, row);
}

/** @param id the name of the schema in the OpenAPI document, where several events share it */
export function payload(members: Members, id?: string): Payload {
  const made = Object.entries(members).map(([member, given]): [string, Made] => [
    member,
    given instanceof Made ? given : from(columnOf(member), given),
  ]);
  const data = z.strictObject(Object.fromEntries(made.map(([member, { shown }]) => [member, shown])));
  return {
    data: id === undefined ? data : data.meta({ id }),
    of: (snapshot) => Object.fromEntries(made.map(([member, { read }]) => [member, read.parse(snapshot)])),
  };
}

function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
