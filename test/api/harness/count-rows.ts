import type { TestDatabase } from '../../harness/database.ts';

/** The number of rows of a table, of all tenants. `from` may end with a WHERE. */
export async function countRows(database: TestDatabase, from: string, values: unknown[] = []): Promise<number> {
  const [row] = await database.asOwner<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`, values);
  return row?.n ?? -1;
}
