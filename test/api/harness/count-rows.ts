import type { TestDatabase } from '../../harness/database.ts';

/** The number of rows of a table, of all tenants. `from` may end with a WHERE. */
export async function countRows(database: TestDatabase, from: string, values: unknown[] = []): Promise<number> {
  const [row] = await database.asOwner<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`, values);
  return row?.n ?? -1;
}

/** How much of an allowance the database's workspaces have used, over all months. */
export async function sumUsed(database: TestDatabase, allowance: string): Promise<number> {
  const [row] = await database.asOwner<{ used: number }>(
    'SELECT COALESCE(sum(used), 0)::int AS used FROM monthly_usage WHERE allowance = $1',
    [allowance],
  );
  return row?.used ?? -1;
}
