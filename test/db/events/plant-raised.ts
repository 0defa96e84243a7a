import type { JsonObject } from '../../../domain/json.ts';
import { EXAMPLES } from '../../domain/events/snapshots.ts';
import type { TestDatabase } from '../../harness/database.ts';

const EXAMPLE_OF: Readonly<Record<string, readonly [snapshot: JsonObject, payload: JsonObject]>> = EXAMPLES;

/** An event to plant in the outbox: columns replace those of the type's example. */
export interface Planted {
  type: string;
  columns?: JsonObject;
  at?: string;
}

/** Puts events into the outbox in their order, as their triggers leave them. */
export async function plantRaised(
  { asOwner, tenant: own }: Pick<TestDatabase, 'asOwner' | 'tenant'>,
  events: readonly (string | Planted)[],
  tenant: { environmentId: string } = own,
): Promise<void> {
  const rows = events.map((event) => {
    const { type, columns = {}, at } = typeof event === 'string' ? { type: event } : event;
    return { type, snapshot: { ...EXAMPLE_OF[type]?.[0], ...columns }, occurred_at: at ?? null };
  });
  await asOwner(
    `INSERT INTO raised_events (environment_id, type, snapshot, occurred_at)
     SELECT $1, e.type, e.snapshot, COALESCE(e.occurred_at, now()) FROM ROWS FROM (
       jsonb_to_recordset($2::jsonb) AS (type text, snapshot jsonb, occurred_at timestamptz)) WITH ORDINALITY e (type, snapshot, occurred_at, n) ORDER BY n`,
    [tenant.environmentId, JSON.stringify(rows)],
  );
}
