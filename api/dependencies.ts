import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { LinkSigner, Vault } from '../db/secrets/vault.ts';
import type { NotificationListener } from '../db/announcements/notification-listener.ts';
import type { InvalidationHub } from '../db/announcements/invalidation-hub.ts';
import type { SettlementHub } from '../db/announcements/settlement-hub.ts';
import type { EgressAllow } from '../domain/egress.ts';
import type { Embedder } from '../domain/embeddings/embedder.ts';
import type { FileStore } from '../domain/files/file-store.ts';
import type { ChatClient } from '../domain/integrations/chat-client.ts';
import type { FetchClientDocument } from '../domain/oauth/client-document.ts';
import type { InvocationRef } from '../domain/refs.ts';
import type { Tracing } from '../domain/tracing/tracing.ts';
import type { FetchDocument } from '../domain/openapi-import/source.ts';
import type { TokenCounter } from './threads/token-counter.ts';
import type { TenantSchemas } from './json-schema/tenant-schemas.ts';
import type { Uploads } from './threads/uploads.ts';
import type { BodyThreads } from './threads/body-threads.ts';
import type { ImportPlanner } from './threads/import-planner.ts';

/** `unknown`: Temporal itself did not answer, which says nothing about workers. */
export type WorkerState = 'up' | 'none' | 'unknown';

export interface Workers {
  /** Some seconds old, and free. */
  readonly state: WorkerState;
  /** Current state. Concurrent callers share one answer. Never rejects. */
  look(): Promise<WorkerState>;
  /**
   * Returns true when a workflow waits for its first step and no worker polled since. A busy worker polls after each step, so its backlog
   * does not look like absence. Returns false when Temporal does not answer.
   */
  isLeftLying(workflowId: string): Promise<boolean>;
}

/** Dependencies of the handlers, from server.ts, the embedded stack or a test. */
export interface ApiDependencies {
  db: Database;
  temporal: Client;
  /** Seals what callers entrust to us. Only `resealing` can open. */
  vault: Pick<Vault, 'seal' | 'digests'>;
  /**
   * Opens sealed content: of a failed message for its retry, a subscription's headers for a change or test, an integration's credential,
   * the OAuth signing keys. Nothing of it gets into a reply, log or error, except that the reply of a subscription's creation shows its
   * secret once.
   */
  resealing: Pick<Vault, 'open' | 'seal' | 'digests'>;
  links: LinkSigner;
  files: FileStore;
  /** Bounds a workspace's concurrent uploads to this process. */
  uploads: Uploads;
  /** Bodies of routes with larger limits: spans, traces and memory ingests. */
  largeBodies: Uploads;
  /** Parses the large ones in threads; its creator closes it. */
  bodyThreads: BodyThreads;
  /** Reports when an invocation has come to rest. */
  settlements: SettlementHub;
  /** Tells the streams of the console what changed. */
  invalidations: InvalidationHub;
  /** The LISTEN connection that `settlements` uses too: completed idempotency keys, revoked API keys. */
  notifications: NotificationListener;
  logger: Logger;
  tracing: Pick<Tracing, 'made'>;
  /** Whether a start asks for the first workflow task in its reply: a worker that shares the connection may take it. */
  eagerStart: () => boolean;
  /**
   * Runs a plain invocation in this process, as far as it goes without a wait. Returns true where it has come to a clean end, and needs no
   * workflow. Null where this process sends nothing.
   */
  runPlain: ((ref: InvocationRef) => Promise<boolean>) | null;
  /** Where the installation's workers poll: TASK_QUEUE outside tests. */
  taskQueue: string;
  /** Who takes up invocations: worker processes, and API processes that run invocations. */
  workers: Workers;
  /** Who does all else: worker processes alone. */
  workerProcesses: Pick<Workers, 'state' | 'look'>;
  /** Reads OpenAPI documents in threads; its creator closes it. */
  importPlanner: ImportPlanner;
  /** Runs tenants' JSON Schemas, costly ones in threads; its creator closes it. */
  schemas: TenantSchemas;
  /** Counts tokens and assembles contexts in a thread; its creator closes it. */
  tokens: TokenCounter;
  embedder: Embedder;
  /** Addresses that actions may call although blocked otherwise; for warnings. */
  egressAllow: EgressAllow;
  /** Through the egress guard. */
  fetchDocument: FetchDocument;
  /** Fetches small client metadata with a short time-out, through the egress guard. */
  fetchClientDocument: FetchClientDocument;
  /** Through the egress guard. */
  chat: ChatClient;
  /** Origins of our pages beside the request's own host. */
  publicOrigins?: readonly string[];
  /** App schemes of OAuth redirects beside reversed domain names. Defaults to the well-known editors. */
  redirectSchemes?: readonly string[];
  /** The payment provider's publishable key, for browsers. */
  publishableKey?: string | null;
  /** Origin of links to our pages. Null when the public address is unknown. */
  pagesUrl: string | null;
}
