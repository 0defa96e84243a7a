import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { ApplicationLoginError, BlockedMigrationError, ForeignSchemaError, migrate } from '../db/migrate.ts';
import type { Configuration } from '../domain/configuration/configuration.ts';
import type { DataFolder } from './data-folder.ts';
import { isPortFree } from './ports.ts';
import { startPostgres, type RunningPostgres } from './postgres.ts';
import { readOrCreatePrivately } from './private-file.ts';
import { StartError } from './start-error.ts';
import { installVectorExtension } from './vector-extension.ts';

const LOGIN_PASSWORD_BYTES = 24;
const LOGIN_SUFFIX_BYTES = 4;

export interface PreparedDatabase {
  /** The application's own login. */
  applicationUrl: string;
  /** Null if DATABASE_URL is a plain login, whose database somebody else migrates. */
  ownerUrl: string | null;
  /** Null if DATABASE_URL names an external PostgreSQL. */
  server: RunningPostgres | null;
}

/** Prepares a migrated database with a plain login for the application: the embedded PostgreSQL, or the one of DATABASE_URL. */
export async function prepareDatabase(
  configuration: Configuration<'embedded'>,
  folder: DataFolder,
): Promise<PreparedDatabase> {
  const { DATABASE_URL: given, MIGRATION_DATABASE_URL: givenOwner } = configuration;
  if (given === null) {
    if (configuration.MEMORY_INDEX === 'hnsw') await installVectorExtension(folder.postgresDir);
    const server = await startPostgres({
      dataDir: folder.postgresDir,
      port: await choosePort(configuration.POSTGRES_PORT, folder),
    });
    folder.changeState({ postgresPort: server.port });
    try {
      return { ...(await migrateWith(server.ownerUrl, ownLogin(server.ownerUrl, folder))), server };
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
  if (givenOwner !== null) return { ...(await migrateWith(givenOwner, given)), server: null };
  if (await mayMigrate(given)) return { ...(await migrateWith(given, ownLogin(given, folder))), server: null };
  return { applicationUrl: given, ownerUrl: null, server: null };
}

/** The port of the last start, if it is free, so that a URL noted earlier still works. */
async function choosePort(configured: number, folder: DataFolder): Promise<number> {
  if (configured !== 0) return configured;
  const last = folder.readState().postgresPort;
  return last !== undefined && (await isPortFree(last)) ? last : 0;
}

async function migrateWith(
  ownerUrl: string,
  applicationUrl: string,
): Promise<{ ownerUrl: string; applicationUrl: string }> {
  try {
    await migrate({ ownerUrl, applicationUrl });
  } catch (error) {
    if ([ForeignSchemaError, BlockedMigrationError, ApplicationLoginError].some((kind) => error instanceof kind)) {
      throw new StartError((error as Error).message, { cause: error });
    }
    throw error;
  }
  return { ownerUrl, applicationUrl };
}

/** The owner's URL with a login made for this data folder, which keeps its name and password. */
function ownLogin(ownerUrl: string, folder: DataFolder): string {
  const [user = '', password = ''] = readOrCreatePrivately(folder.file('application-login'), () => {
    const suffix = randomBytes(LOGIN_SUFFIX_BYTES).toString('hex');
    return `service_application_${suffix}:${randomBytes(LOGIN_PASSWORD_BYTES).toString('hex')}`;
  }).split(':');
  const url = new URL(ownerUrl);
  url.username = user;
  url.password = password;
  return url.href;
}

/** An owner or superuser migrates here. With a plain login, somebody else has migrated already. */
async function mayMigrate(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query<{ may: boolean }>(
      `SELECT rolsuper OR rolcreaterole
              OR EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND datdba = r.oid)
              OR EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('public.invocations') AND relowner = r.oid) AS may
       FROM pg_roles r WHERE rolname = current_user`,
    );
    return rows[0]?.may === true;
  } catch (error) {
    throw new StartError(`DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    await client.end();
  }
}
