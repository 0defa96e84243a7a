import path from 'node:path';
import { migrate } from '../db/migrate.ts';
import { startPostgres } from '../embedded/postgres.ts';

export interface BenchDatabase {
  /** The application's login: row-level security applies to it. */
  databaseUrl: string;
  ownerUrl: string;
  stop(): Promise<void>;
}

/** A PostgreSQL of its own with the embedded settings, so commits reach the disk; migrated, and empty. */
export async function startBenchDatabase(folder: string, name = 'postgres'): Promise<BenchDatabase> {
  const postgres = await startPostgres({ dataDir: path.join(folder, name), port: 0 });
  const application = new URL(postgres.ownerUrl);
  application.username = 'bench_application';
  application.password = 'bench';
  await migrate({ ownerUrl: postgres.ownerUrl, applicationUrl: application.href });
  return { databaseUrl: application.href, ownerUrl: postgres.ownerUrl, stop: () => postgres.stop() };
}
