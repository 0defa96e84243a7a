import path from 'node:path';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { startPostgres } from '../../embedded/postgres.ts';
import { findTemporalCli } from '../../embedded/temporal-binary.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { startModule } from '../invoke/child.ts';
import { cpuTimesOf } from '../invoke/cpu.ts';

/** What all sides share. */
export interface Servers {
  /** The owner's connection; its database says nothing of a side. */
  owner: Client;
  postgresLog: string;
  temporal: Connection;
  temporalAddress: string;
  temporalVersion: string;
  postgresVersion: string;
  target: Target;
  /** CPU time of a process and of those it started, ms. */
  cpuOf(pid: number): number;
  postgresPid: number;
  temporalPid: number;
  /** A new database on the shared PostgreSQL. */
  createDatabase(name: string): Promise<string>;
  /** The owner's URL of a database. */
  urlOf(database: string): string;
}

export interface Target {
  url: string;
  secret: string;
}

type Stop = () => Promise<void>;

/**
 * The embedded PostgreSQL and Temporal with the settings of `npm start` (fsync on), apart from the service, so that
 * they outlive a kill of it.
 */
export async function startServers(folder: string, stops: Stop[]): Promise<Servers> {
  const postgresDir = path.join(folder, 'postgres');
  const postgres = await startPostgres({ dataDir: postgresDir, port: 0 });
  stops.push(() => postgres.stop());
  const temporal = await startTemporal({
    binary: await findTemporalCli(),
    port: 0,
    uiPort: null,
    dbFile: path.join(folder, 'temporal', 'temporal.db'),
    logFile: path.join(folder, 'temporal.log'),
  });
  stops.push(() => temporal.stop());
  const owner = new Client({ connectionString: postgres.ownerUrl });
  await owner.connect();
  stops.push(() => owner.end());
  const connection = await Connection.connect({ address: temporal.address });
  stops.push(() => connection.close());
  const secret = `bench-${crypto.randomUUID()}`;
  const target = await startModule('../peers/target.js', [secret]);
  stops.push(() => target.child.stop());
  const { rows } = await owner.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const urlOf = (database: string): string => {
    const url = new URL(postgres.ownerUrl);
    url.pathname = `/${database}`;
    return url.href;
  };
  return {
    owner,
    postgresLog: path.join(postgresDir, 'postgres.log'),
    temporal: connection,
    temporalAddress: temporal.address,
    temporalVersion: serverVersion,
    postgresVersion: rows[0]?.version ?? 'unknown',
    target: { url: `http://127.0.0.1:${target.ready.port}/orders`, secret },
    cpuOf: (pid) => Object.values(cpuTimesOf(pid)).reduce((sum, ms) => sum + ms, 0),
    postgresPid: postgres.pid,
    temporalPid: temporal.pid,
    createDatabase: async (name) => {
      await owner.query(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    urlOf,
  };
}
