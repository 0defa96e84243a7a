import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from '../domain/configuration/configuration.ts';
import type { Credentials } from './credentials.ts';
import { stackOn } from './data-folder.ts';
import { readJsonFile } from './private-file.ts';

type Settings = Pick<Configuration<'setup'>, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL' | 'DATA_DIR'>;

/** The database that a command works on. */
export interface CommandDatabase {
  /** The application's login. */
  applicationUrl: string;
  /** The login that owns the tables; null where it is not known. */
  ownerUrl: string | null;
  /** The folder of the stack of `npm start` that it is of; null for that of DATABASE_URL. */
  dataDir: string | null;
}

/**
 * The database of DATABASE_URL, else that of the stack which runs on DATA_DIR: then standard error says so, because whoever forgot the
 * variable would take one for the other.
 *
 * @throws {Error} where there is neither.
 */
export function databaseOf({ DATABASE_URL, MIGRATION_DATABASE_URL, DATA_DIR }: Settings): CommandDatabase {
  if (DATABASE_URL !== null) return { applicationUrl: DATABASE_URL, ownerUrl: MIGRATION_DATABASE_URL, dataDir: null };
  const { databaseUrl, databaseOwnerUrl } = localStack(DATA_DIR, 'DATABASE_URL');
  return { applicationUrl: databaseUrl, ownerUrl: MIGRATION_DATABASE_URL ?? databaseOwnerUrl, dataDir: DATA_DIR };
}

/**
 * The stack that runs on a data folder. `variable`: what is not set, which would name another place.
 *
 * @throws {Error} where none runs.
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
