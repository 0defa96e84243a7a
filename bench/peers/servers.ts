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
  ownerUrl: string;
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
}

export interface Target {
  url: string;
  secret: string;
}

type Stop = () => Promise<void>;

/**
 * The embedded PostgreSQL and Temporal with the settings of `npm start` (fsync on), apart from the service, so that they outlive a kill of
 * it. `pg_stat_statements` is there and counts nothing until it is told to.
 */
export async function startServers(folder: string, stops: Stop[]): Promise<Servers> {
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), port: 0, settings });
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
  await owner.query('CREATE EXTENSION pg_stat_statements');
  await countStatements(owner, false);
  const connection = await Connection.connect({ address: temporal.address });
  stops.push(() => connection.close());
  const secret = `bench-${crypto.randomUUID()}`;
  const target = await startModule('../peers/target.js', [secret]);
  stops.push(() => target.child.stop());
  const { rows } = await owner.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  return {
    owner,
    ownerUrl: postgres.ownerUrl,
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
      const url = new URL(postgres.ownerUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
  };
}

/** Holds in every session from its next statement on. What else would be counted, and is not the side's, is off meanwhile. */
export async function countStatements(owner: Client, isOn: boolean): Promise<void> {
  await owner.query(`ALTER SYSTEM SET pg_stat_statements.track = ${isOn ? 'top' : 'none'}`);
  // Whether a change writes its whole page depends on when the last checkpoint was.
  await owner.query(`ALTER SYSTEM SET full_page_writes = ${isOn ? 'off' : 'on'}`);
  await owner.query(`ALTER SYSTEM SET autovacuum = ${isOn ? 'off' : 'on'}`);
  await owner.query('SELECT pg_reload_conf()');
}
