import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';

export interface PlantedDatabase {
  database: TestDatabase;
  /** The login that owns the tables, for rows that no statement of the application writes. */
  owner: Client;
  /** An action of the tenant, with its version. */
  planted: PlantedAction;
  close(): Promise<void>;
}

/** A database with one action in it. */
export async function startPlantedDatabase(): Promise<PlantedDatabase> {
  const database = await createTestDatabase();
  const owner = new Client({ connectionString: database.ownerUrl });
  const close = closesWithFile(async () => {
    await owner.end();
    await database.close();
  });
  try {
    await owner.connect();
    return { database, owner, planted: await plantAction(owner, database.tenant), close };
  } catch (error) {
    await close();
    throw error;
  }
}
