import { readFileSync } from 'node:fs';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { temporalConnectionOptions } from '../../domain/temporal-connection.ts';
import { PRODUCT } from '../../domain/product.ts';
import { connectOrSayWhy } from '../../process/connect-temporal.ts';
import { sealedPayloads } from '../../process/payload-sealing.ts';
import { type Figures, readFigures } from './figures.ts';
import { readServerFacts, type ServerFacts } from './server-facts.ts';
import { Session } from './session.ts';
import type { Settings } from './settings.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 3_000;

/** What is examined: its settings, and what they lead to. Each connection and reading is made once, by the first check that asks. */
export class Subject {
  readonly settings: Settings;
  private sql: Promise<Session> | null = null;
  private listening: Promise<Session> | null = null;
  private connection: Promise<Connection> | null = null;
  private facts: Promise<ServerFacts> | null = null;
  private figures: Promise<Figures> | null = null;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  postgres(): Promise<Session> {
    this.sql ??= connectPostgres(this.settings.values.DATABASE_URL ?? '');
    return this.sql;
  }

  /** The connection that LISTENs. */
  listener(): Promise<Session> {
    const { DATABASE_LISTEN_URL: url } = this.settings.values;
    this.listening ??= url === null ? this.postgres() : connectPostgres(url);
    return this.listening;
  }

  server(): Promise<ServerFacts> {
    this.facts ??= this.postgres().then(readServerFacts);
    return this.facts;
  }

  work(): Promise<Figures> {
    this.figures ??= this.postgres().then(readFigures);
    return this.figures;
  }

  temporal(): Promise<Connection> {
    this.connection ??= this.connectTemporal();
    return this.connection;
  }

  async temporalClient(): Promise<TemporalClient> {
    const { TEMPORAL_PAYLOAD_KEYS: keys } = this.settings.values;
    return new TemporalClient({
      connection: await this.temporal(),
      namespace: this.namespace,
      ...sealedPayloads(keys),
    });
  }

  get namespace(): string {
    return this.settings.values.TEMPORAL_NAMESPACE ?? '';
  }

  async close(): Promise<void> {
    const [sql, listening, connection] = await Promise.allSettled([this.sql, this.listening, this.connection]);
    const sessions = new Set([sql, listening].map((each) => (each.status === 'fulfilled' ? each.value : null)));
    for (const session of sessions) await session?.end();
    if (connection.status === 'fulfilled') await connection.value?.close();
  }

  private async connectTemporal(): Promise<Connection> {
    const { values } = this.settings;
    const options = temporalConnectionOptions(
      values.TEMPORAL_ADDRESS ?? '',
      { ...values, TEMPORAL_TLS: values.TEMPORAL_TLS ?? false },
      (file) => readFileSync(file),
    );
    return connectOrSayWhy(options, () => Connection.connect({ ...options, connectTimeout: CONNECT_TIMEOUT_MS }));
  }
}

async function connectPostgres(url: string): Promise<Session> {
  const client = new Client({
    connectionString: url,
    application_name: `${PRODUCT.id}-doctor`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // the statement under way reports it
  await client.connect();
  return new Session(client);
}
