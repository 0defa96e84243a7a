import { Database } from '../db/client.ts';

/** Runs short work of a command on a database, and closes its two connections afterwards. */
export async function withDatabase<T>(
  url: string,
  applicationName: string,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = new Database({ url, applicationName, poolMax: 2 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
