import type { Database } from '../client.ts';

/** The id of the row with which the last sweep of an area ended before its end; the empty string where it came to the end. */
export async function findSweepPosition(db: Pick<Database, 'directory'>, area: string): Promise<string> {
  const row = await db.directory.row<{ position: string }>(
    'find_sweep_position',
    `SELECT COALESCE(sweep_stopped_at ->> ?, '') AS position FROM installation`,
    [area],
  );
  return row?.position ?? '';
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
