import type { Database } from '../client.ts';

/** The ids of the rows with which the last sweep of areas ended before their end, by the name of the area. */
export async function findSweepPositions(db: Pick<Database, 'directory'>): Promise<Readonly<Record<string, string>>> {
  const row = await db.directory.row<{ positions: Record<string, string> }>(
    'find_sweep_positions',
    'SELECT sweep_stopped_at AS positions FROM installation',
  );
  return row?.positions ?? {};
}

/** Keeps that id for the next sweep. The empty string lets it begin anew. */
export async function keepSweepPosition(
  db: Pick<Database, 'directory'>,
  area: string,
  position: string,
): Promise<void> {
  await db.directory.raw(
    'keep_sweep_position',
    'UPDATE installation SET sweep_stopped_at = sweep_stopped_at || jsonb_build_object(CAST(? AS text), CAST(? AS text))',
    [area, position],
  );
}
