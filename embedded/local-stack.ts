import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from '../domain/configuration/configuration.ts';
import type { Credentials } from './credentials.ts';
import { stackOn } from './data-folder.ts';
import { readJsonFile } from './private-file.ts';

type Settings = Pick<Configuration<'setup'>, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL' | 'DATA_DIR'>;

export interface CommandDatabase {
  /** The application's login. */
  applicationUrl: string;
  /** The login that owns the tables; null where it is not known. */
  ownerUrl: string | null;
  /** The data folder when the database belongs to a stack of `npm start`; null for that of DATABASE_URL. */
  dataDir: string | null;
}

/**
 * Returns the database of DATABASE_URL, otherwise that of the stack on DATA_DIR; standard error says so, because a forgotten variable would
 * confuse the two.
 *
 * @throws {Error} when there is neither.
 */
export function databaseOf({ DATABASE_URL, MIGRATION_DATABASE_URL, DATA_DIR }: Settings): CommandDatabase {
  if (DATABASE_URL !== null) return { applicationUrl: DATABASE_URL, ownerUrl: MIGRATION_DATABASE_URL, dataDir: null };
  const { databaseUrl, databaseOwnerUrl } = localStack(DATA_DIR, 'DATABASE_URL');
  return { applicationUrl: databaseUrl, ownerUrl: MIGRATION_DATABASE_URL ?? databaseOwnerUrl, dataDir: DATA_DIR };
}

/**
 * Returns the stack that runs on a data folder. `variable` would name another place and is not set.
 *
 * @throws {Error} when none runs.
 */
export function localStack(dataDir: string, variable: string): Credentials {
  const folder = path.resolve(dataDir);
  const file = path.join(folder, 'credentials.json');
  const remedy = `Run npm start first, with the same DATA_DIR, or set ${variable}.`;
  if (!existsSync(file)) throw new Error(`${variable} is not set, and there is no ${file}. ${remedy}`);
  if (stackOn(folder) === null)
    throw new Error(`${variable} is not set, and no stack runs on ${folder} (DATA_DIR). ${remedy}`);
  console.error(`${variable} is not set: this is the stack of npm start on ${folder} (DATA_DIR).`);
  return readJsonFile(file) as Credentials;
}
