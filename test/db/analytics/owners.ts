import { Client } from 'pg';
import type { TestDatabase } from '../../harness/database.ts';

/** Two connections of the owner, each with transactions of its own. The caller ends them. */
export async function connectOwners({ ownerUrl }: TestDatabase): Promise<[Client, Client]> {
  const [one, other] = [new Client({ connectionString: ownerUrl }), new Client({ connectionString: ownerUrl })];
  await Promise.all([one.connect(), other.connect()]);
  return [one, other];
}
