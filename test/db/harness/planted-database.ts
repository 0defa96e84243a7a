import { createTestDatabase } from '../../harness/database.ts';
import { plantAction } from '../actions/planted-rows.ts';

/** A database with one action in it, and a session of its owner, for rows that no statement of the application writes. */
export async function startPlantedDatabase() {
  const database = await createTestDatabase();
  const owner = await database.connectOwner();
  return { database, owner, planted: await plantAction(owner, database.tenant) };
}
