import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { inject } from 'vitest';
import { agreeableChat } from '../integrations/agreeable-chat.ts';
import { createChatClient } from '../../../activities/adapters/chat/chat-client.ts';
import { createFolderStore } from '../../../activities/adapters/files/folder-store.ts';
import { createClientDocumentFetcher } from '../../../activities/adapters/http-request/fetch-client-document.ts';
import { createDocumentFetcher } from '../../../activities/adapters/http-request/fetch-document.ts';
import { KEEP_ALIVE_TIMEOUT_MS } from '../../../api/http/http-server.ts';
import { ImportPlanner, type ImportPlannerOptions } from '../../../api/threads/import-planner.ts';
import { TokenCounter } from '../../../api/threads/token-counter.ts';
import { FILE_UPLOADS } from '../../../api/files/uploads.ts';
import { LARGE_BODIES } from '../../../api/http/bodies.ts';
import { Uploads, type UploadsOptions } from '../../../api/threads/uploads.ts';
import { BodyThreads, type BodyThreadsOptions } from '../../../api/threads/body-threads.ts';
import { TenantSchemas, type TenantSchemasOptions } from '../../../api/json-schema/tenant-schemas.ts';
import { type ApiOptions, createApi } from '../../../api/create-api.ts';
import type { ApiDependencies, Workers } from '../../../api/dependencies.ts';
import { type ApiKeyRecord, createApiKey, type NewApiKey } from '../../../db/api-keys/api-keys.ts';
import { Database, type Tenant } from '../../../db/client.ts';
import type { LaneBell } from '../../../db/announcements/lanes-ready.ts';
import { InvalidationHub } from '../../../db/announcements/invalidation-hub.ts';
import { NotificationListener } from '../../../db/announcements/notification-listener.ts';
import { SettlementHub } from '../../../db/announcements/settlement-hub.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { Embedder } from '../../../domain/embeddings/embedder.ts';
import type { FileStore } from '../../../domain/files/file-store.ts';
import { NO_TRACING } from '../../../domain/tracing/tracing.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { compiledModule } from '../../harness/compiled-module.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { TASK_QUEUE } from '../../../temporal/task-queues.ts';
import { violationsOf } from './reply-schemas.ts';
import { WATCHDOG } from '../../harness/watchdog.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';

export interface CallOptions {
  /** The API key. */
  key?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: string | Uint8Array;
}

export interface CallResult {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

/** One API process over real HTTP, as server.ts makes it. */
export interface TestApi {
  baseUrl: string;
  database: TestDatabase;
  deps: ApiDependencies;
  /** Every line logged, at trace level. */
  logLines: string[];
  /** Replies that did not conform to their route's response schema. */
  replyViolations: string[];
  /** The folder of the default store of files. */
  filesFolder: string;
  call(method: string, path: string, options?: CallOptions): Promise<CallResult>;
  /** A key, by default with every scope. */
  createKey(tenant: Tenant, input?: Partial<NewApiKey>): Promise<{ record: ApiKeyRecord; key: string }>;
  close(): Promise<void>;
}

export interface TestApiOptions extends ApiOptions {
  /** Another API process on a test's existing database, which stays open when the API closes. */
  database?: TestDatabase;
  temporalAddress?: string;
  /** The task queue of invocations. A test that runs its own worker has its own queue. */
  taskQueue?: string;
  /** The state of the workers; by default unknown, with no stalled invocation. */
  workers?: Workers;
  /** The vault of the test's worker; by default one that all APIs of the database share, as all processes do. */
  vault?: Pick<Vault, 'open' | 'seal' | 'digests'>;
  /** Fakes that replace the chat systems; by default no chat is called, and each agrees. */
  chats?: { slackBaseUrl?: string; discordBaseUrl?: string };
  /** Set where the test's worker is in this process. */
  laneBell?: LaneBell;
  /** By default a temporary folder, removed on close. */
  files?: FileStore;
  /** How many files a workspace uploads at once. */
  uploads?: UploadsOptions;
  /** Settings of the threads that read descriptions. */
  imports?: ImportPlannerOptions;
  /** Settings of the threads that run tenants' schemas. */
  schemas?: TenantSchemasOptions;
  /** Embeds texts; by default a fake that knows words and no meaning. */
  embedder?: Embedder;
  /** Serves the metadata of OAuth clients; by default they are fetched, and no private address is allowed. */
  fetchClientDocument?: ApiDependencies['fetchClientDocument'];
  /** Origins of our own pages, in addition to the API's host. */
  publicOrigins?: readonly string[];
}

/** The import's thread runs the source, as the test does. */
const FROM_SOURCE: ImportPlannerOptions = {
  threadFile: () => compiledModule('api/actions/import/import-thread.ts'),
  // A long limit: a busy machine is slow, which is not the document's fault.
  timeMsMax: 240_000,
  waitMsMax: 240_000,
};

/** The same for the fetch of a description: the server that a test fetches from may share this process. */
const FETCH_TIMEOUT_MS = 240_000;

/** The same for the threads of tenants' schemas. */
const SCHEMAS_FROM_SOURCE: TenantSchemasOptions = {
  threadFile: () => compiledModule('api/json-schema/schema-thread.ts'),
  deadlineMs: 120_000,
  waitMsMax: 240_000,
};

/** The same for the threads that read large bodies. */
const BODIES_FROM_SOURCE: BodyThreadsOptions = {
  threadFile: () => compiledModule('api/body-thread.ts'),
  deadlineMs: 120_000,
  waitMsMax: 240_000,
};

/** The same for the thread that counts tokens. */
const TOKENS_FROM_SOURCE = {
  threadFile: () => compiledModule('api/threads/token-thread.ts'),
  deadlineMs: 120_000,
  waitMsMax: 240_000,
};

/** Most tests run no worker, or a busy one, and what they invoke waits for it. */
const UNWATCHED: Workers = {
  state: 'unknown',
  look: () => Promise.resolve('unknown'),
  isLeftLying: () => Promise.resolve(false),
};

const vaults = new WeakMap<TestDatabase, Vault>();

function vaultOf(database: TestDatabase): Vault {
  const vault = vaults.get(database) ?? Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
  vaults.set(database, vault);
  return vault;
}

export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase());
  const hears = options.laneBell?.hears;
  const db = new Database({ url: database.applicationUrl, applicationName: 'test-api', poolMax: 10, hears });
  const logLines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  const notifications = new NotificationListener({
    url: database.applicationUrl,
    applicationName: 'test-api-listener',
    onError: (error) => logger.warn({ message: error.message }, 'the LISTEN connection is lost'),
  });
  const settlements = new SettlementHub(notifications);
  const invalidations = new InvalidationHub(notifications);
  const stack = inject('stack');
  // No retries to an address that does not answer. A retry that still waits when the connection closes throws outside any
  // promise of ours (its timer belongs to the SDK), and fails the test file that runs at that time.
  const connection = Connection.lazy(
    options.temporalAddress === undefined
      ? { address: stack.temporalAddress }
      : { address: options.temporalAddress, interceptors: [] },
  );
  const vault = options.vault ?? vaultOf(database);
  const filesFolder = await mkdtemp(path.join(tmpdir(), 'files-'));
  const deps: ApiDependencies = {
    db,
    temporal: new Client({ connection, namespace: stack.temporalNamespace }),
    vault,
    resealing: vault,
    links: Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`),
    files: options.files ?? createFolderStore(filesFolder),
    uploads: new Uploads(options.uploads ?? FILE_UPLOADS),
    largeBodies: new Uploads(LARGE_BODIES),
    bodyThreads: new BodyThreads(BODIES_FROM_SOURCE),
    settlements,
    invalidations,
    notifications,
    logger,
    tracing: NO_TRACING,
    eagerStart: () => false,
    runPlain: null,
    taskQueue: options.taskQueue ?? TASK_QUEUE,
    workers: options.workers ?? UNWATCHED,
    workerProcesses: UNWATCHED,
    importPlanner: new ImportPlanner({ ...FROM_SOURCE, ...options.imports }),
    tokens: new TokenCounter(TOKENS_FROM_SOURCE),
    schemas: new TenantSchemas({ ...SCHEMAS_FROM_SOURCE, ...options.schemas }),
    embedder: options.embedder ?? new FakeEmbedder(),
    egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
    fetchDocument: createDocumentFetcher({
      egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
      watchdog: WATCHDOG,
      timeoutMs: FETCH_TIMEOUT_MS,
    }),
    fetchClientDocument:
      options.fetchClientDocument ??
      createClientDocumentFetcher({ egressAllow: [], watchdog: WATCHDOG, timeoutMs: FETCH_TIMEOUT_MS }),
    chat:
      options.chats === undefined
        ? agreeableChat
        : createChatClient({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS), watchdog: WATCHDOG, ...options.chats }),
    publicOrigins: options.publicOrigins ?? [],
    pagesUrl: 'https://runtime.example.com',
  };
  const replyViolations: string[] = [];
  const api = createApi(deps, {
    onReply: (route, reply) => replyViolations.push(...violationsOf(route, reply)),
    ...options,
  });
  await notifications.start();
  // Node's default of 5 s can pass while a test keeps this event loop busy. The server would then close the very connection on
  // which the test sends its next request.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, api.callback);
  const baseUrl = await listen(server);
  return {
    baseUrl,
    database,
    deps,
    logLines,
    replyViolations,
    filesFolder,
    call: (method, path, callOptions) => call(`${baseUrl}${path}`, method, callOptions),
    createKey: (tenant, input = { scopes: SCOPES }) =>
      database.db.withEnvironment(tenant, (tx) => createApiKey(tx, { name: 'test', ...input })),
    close: closesWithFile(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      api.close();
      deps.importPlanner.close();
      await deps.bodyThreads.close();
      await deps.schemas.close();
      await deps.tokens.close();
      settlements.close();
      invalidations.close();
      await notifications.close();
      await connection.close();
      await db.close();
      await rm(filesFolder, { recursive: true, force: true });
      if (options.database === undefined) await database.close();
    }),
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One call over real HTTP. */
export async function call(url: string, method: string, options: CallOptions = {}): Promise<CallResult> {
  const headers = new Headers(options.headers);
  if (options.key !== undefined) headers.set('Authorization', `Bearer ${options.key}`);
  let body: string | Uint8Array | null = options.raw ?? null;
  if (options.body !== undefined) body = JSON.stringify(options.body);
  if (body !== null && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  const response = await fetch(url, { method, headers, body, redirect: 'manual' });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
