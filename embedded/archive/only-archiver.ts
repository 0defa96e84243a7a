import { Client } from 'pg';

/** One command at a time: another one would take its files for those of a command that was killed. Held by a session. */
export async function asOnlyArchiver<T>(ownerUrl: string, work: () => Promise<T>): Promise<T> {
  const session = new Client({ connectionString: ownerUrl, application_name: 'archive' });
  await session.connect();
  try {
    const { rows } = await session.query<{ held: boolean }>("SELECT pg_try_advisory_lock(hashtext('archive')) AS held");
    if (rows[0]?.held !== true) throw new Error('Another command archives now. Wait for it.');
    return await work();
  } finally {
    await session.end();
  }
}
