import { randomBytes } from 'node:crypto';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { inject } from 'vitest';
import { Database, type Tenant } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { createWorkspace, ENVIRONMENT_KINDS, type EnvironmentKind } from '../../db/environments/workspaces.ts';
import { withDatabase } from './global-setup.ts';
import { closesWithFile } from './closes-with-file.ts';

export type TestTenants = Record<EnvironmentKind, Tenant>;

export interface TestDatabase {
  /** The superuser, for rows that a test reads or plants without the application. */
  ownerUrl: string;
  /** The application's plain login; row-level security applies to it. */
  applicationUrl: string;
  db: Database;
  /** The development environment of the first workspace. */
  tenant: Tenant;
  tenants: TestTenants;
  /** Another workspace with environments of its own. */
  anotherWorkspace(name?: string): Promise<TestTenants>;
  /** A session of the superuser, which ends with the file. */
  connectOwner(): Promise<Client>;
  /** The number of statements that wait for a lock and match a LIKE pattern. */
  lockWaits(like?: string): Promise<number>;
  /** One statement as the superuser. */
  asOwner<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const TEST_POOL_MAX = 10;

export interface TestDatabaseOptions {
  poolMax?: number;
  /** The superuser's URL of another server than the run's own. Its database is migrated here, and the server ends by itself. */
  serverUrl?: string;
}

/** A separate migrated database, with a workspace and its three environments. It closes with the file. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const stack = inject('stack');
  const serverUrl = options.serverUrl ?? stack.postgresOwnerUrl;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = `TEMPLATE ${stack.templateDatabase} STRATEGY ${stack.copyStrategy}`;
  await runOn(serverUrl, `CREATE DATABASE ${name} ${options.serverUrl === undefined ? template : ''}`);
  const ownerUrl = withDatabase(serverUrl, name);
  const application = new URL(stack.postgresApplicationUrl);
  application.host = new URL(serverUrl).host;
  const applicationUrl = withDatabase(application.href, name);
  if (options.serverUrl !== undefined) await migrate({ ownerUrl, applicationUrl });
  const db = new Database({
    url: applicationUrl,
    applicationName: 'test',
    poolMax: options.poolMax ?? TEST_POOL_MAX,
  });
  const tenants = await makeTenants(db, 'Test workspace');
  const asOwner: TestDatabase['asOwner'] = async <Row extends QueryResultRow>(sql: string, values: unknown[] = []) =>
    (await runOn<Row>(ownerUrl, sql, values)).rows;
  return {
    ownerUrl,
    applicationUrl,
    db,
    tenant: tenants.development,
    tenants,
    anotherWorkspace: (workspaceName = 'Another workspace') => makeTenants(db, workspaceName),
    asOwner,
    async connectOwner() {
      const owner = new Client({ connectionString: ownerUrl });
      await owner.connect();
      closesWithFile(() => owner.end());
      return owner;
    },
    async lockWaits(like = '%') {
      const waiting = await asOwner(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
        [like],
      );
      return waiting.length;
    },
    close: closesWithFile(async () => {
      await db.close();
      await runOn(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    }),
  };
}

async function makeTenants(db: Database, name: string): Promise<TestTenants> {
  const { workspaceId, environments } = await createWorkspace(db, name, 'enterprise', ENVIRONMENT_KINDS); // no limits
  const tenantOf = (kind: EnvironmentKind): Tenant => {
    const environment = environments.find((candidate) => candidate.kind === kind);
    if (environment === undefined) throw new Error(`the workspace has no ${kind} environment`);
    return { workspaceId, environmentId: environment.id };
  };
  return { development: tenantOf('development'), staging: tenantOf('staging'), production: tenantOf('production') };
}

async function runOn<Row extends QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<QueryResult<Row>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(sql, values);
  } finally {
    await client.end();
  }
}
