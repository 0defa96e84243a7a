import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { createFolderStore } from '../activities/adapters/files/folder-store.ts';
import { OwnEndpoints } from '../activities/adapters/http-request/own-endpoints.ts';
import { systemResolve } from '../activities/adapters/http-request/resolve.ts';
import { Watchdog } from '../activities/adapters/watchdog.ts';
import { Vault } from '../db/secrets/vault.ts';
import type { Embedder } from '../domain/embeddings/embedder.ts';
import { startApi } from '../server.ts';

/** server.ts as it is, over a real access log. Answers its port. For routes that never call Temporal. */
export async function startBenchApi(databaseUrl: string, databasePoolMax: number, embedder: Embedder): Promise<number> {
  const logger = pino({ level: 'info' }, pino.destination('/dev/null'));
  const api = await startApi({
    databaseUrl,
    databaseListenUrl: databaseUrl,
    databasePoolMax,
    requireSyncStandby: false,
    temporal: new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) }),
    vault: Vault.fromMasterKeys(`1:${Buffer.alloc(32, 1).toString('base64')}`),
    files: createFolderStore('files'),
    logger,
    eagerStart: () => false,
    host: '127.0.0.1',
    port: 0,
    shutdownGraceMs: 0,
    egressAllow: [],
    ownEndpoints: new OwnEndpoints(),
    resolve: systemResolve,
    watchdog: new Watchdog({ logger }),
    network: { publicUrl: null, trustedProxies: [] },
    pagesUrl: null,
    docs: { site: null, base: '' },
    redirectSchemes: [],
    publishableKey: null,
    embedder,
    chats: { slackBaseUrl: 'http://127.0.0.1:1', discordBaseUrl: 'http://127.0.0.1:1' },
    httpLimits: {
      connectionsMax: 4_000,
      connectionsPerAddressMax: 4_000,
      headersTimeoutMs: 15_000,
      requestTimeoutMs: 60_000,
    },
  });
  return api.port;
}
