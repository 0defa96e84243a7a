import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { LinkSigner, Vault } from '../db/secrets/vault.ts';
import type { NotificationListener } from '../db/announcements/notification-listener.ts';
import type { SettlementHub } from '../db/announcements/settlement-hub.ts';
import type { EgressAllow } from '../domain/egress.ts';
import type { Embedder } from '../domain/embeddings/embedder.ts';
import type { FileStore } from '../domain/files/file-store.ts';
import type { ChatClient } from '../domain/integrations/chat-client.ts';
import type { FetchClientDocument } from '../domain/oauth/client-document.ts';
import type { FetchDocument } from '../domain/openapi-import/source.ts';
import type { TokenCounter } from './threads/token-counter.ts';
import type { TenantSchemas } from './json-schema/tenant-schemas.ts';
import type { PacedStarts } from './starts/paced-starts.ts';
import type { Uploads } from './threads/uploads.ts';
import type { BodyThreads } from './threads/body-threads.ts';
import type { ImportPlanner } from './threads/import-planner.ts';

/**
 * Whether a worker takes up invocations. `unknown`: Temporal has not said so, which is no statement about workers: Temporal
 * itself may be away.
 */
export type WorkerState = 'up' | 'none' | 'unknown';

/** What the handlers ask about the workers. */
export interface Workers {
  /** As it was known some seconds ago; costs nothing. */
  readonly state: WorkerState;
  /** As it is now. Askers at the same time share one answer. Never rejects. */
  look(): Promise<WorkerState>;
  /**
   * True where a workflow waits for its first step and no worker has polled since it began to wait. A worker that is busy polls
   * whenever it has taken a step, so its backlog is never mistaken for its absence. False where Temporal does not say.
   */
  isLeftLying(workflowId: string): Promise<boolean>;
}

/** What the API's handlers are handed by server.ts, the embedded stack or a test. */
export interface ApiDependencies {
  db: Database;
  /** Starts and queries workflows. */
  temporal: Client;
  /** Seals what a caller entrusts to us; the API can seal, and opens nothing but by way of `resealing`. */
  vault: Pick<Vault, 'seal' | 'digests'>;
  /**
   * Opens the sealed content of a failed message to seal it anew for its retry, the headers of a subscription for its change and its test, the
   * credential of an integration to verify a click or to ask its chat system, and the OAuth signing keys. What it opens is in no reply, log or
   * error, save for the secret that a subscription was created with: the reply of its creation shows it once.
   */
  resealing: Pick<Vault, 'open' | 'seal' | 'digests'>;
  /** Signs the URLs that files are uploaded to. */
  links: LinkSigner;
  /** The bytes of files. */
  files: FileStore;
  /** How many files a workspace uploads to this process at once. */
  uploads: Uploads;
  /** The bodies that it holds of routes that take more than others: spans, traces and what memory ingests. */
  largeBodies: Uploads;
  /** Reads the large ones of these in threads; its creator closes it. */
  bodyThreads: BodyThreads;
  /** Tells when an invocation has come to rest. */
  settlements: SettlementHub;
  /** The process's LISTEN connection, the one that `settlements` was made with: completed idempotency keys, revoked API keys. */
  notifications: NotificationListener;
  logger: Logger;
  /** Ask the server for the first workflow task in the start's own reply; only where a worker shares the connection. */
  eagerStart: boolean;
  /** The starts of deliveries that this process has under way. */
  pacedStarts: PacedStarts;
  /** Where the workers of this installation poll: TASK_QUEUE, unless a test keeps to itself. */
  taskQueue: string;
  /** Whether one of them takes up what is admitted; its creator starts and closes the watch. */
  workers: Workers;
  /** Reads OpenAPI descriptions in threads; its creator closes it. */
  importPlanner: ImportPlanner;
  /** Runs the JSON Schemas of tenants, the costly ones in threads; its creator closes it. */
  schemas: TenantSchemas;
  /** Counts tokens and assembles contexts, in a thread; its creator closes it. */
  tokens: TokenCounter;
  /** Makes the vectors of texts; its creator closes it. */
  embedder: Embedder;
  /** Which addresses actions may call although they are blocked otherwise: what a written action is warned of. */
  egressAllow: EgressAllow;
  /** Through the egress guard. */
  fetchDocument: FetchDocument;
  /** The metadata of an OAuth client, small and soon given up. Through the egress guard. */
  fetchClientDocument: FetchClientDocument;
  /** Through the egress guard. */
  chat: ChatClient;
  /** Origins of our own pages, such as `https://console.example.com`, beside the host that a request asks. */
  publicOrigins?: readonly string[];
  /** Schemes of apps that OAuth redirects may have beside reversed domain names; by default those of the well-known editors. */
  redirectSchemes?: readonly string[];
  /** The publishable key of the payment provider, for browsers; by default none. */
  publishableKey?: string | null;
  /** The origin that links to our pages begin with; null where nobody said how the service is reached. */
  pagesUrl: string | null;
}
