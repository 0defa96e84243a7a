import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createAdapters, createSender } from '../activities/adapters/index.ts';
import { createChatClient } from '../activities/adapters/chat/chat-client.ts';
import type { OwnEndpoints } from '../activities/adapters/http-request/own-endpoints.ts';
import type { Resolve } from '../activities/adapters/http-request/resolve.ts';
import { createSmtpMailer } from '../activities/adapters/mail/smtp-mailer.ts';
import type { Watchdog } from '../activities/adapters/watchdog.ts';
import { CallSlots } from '../activities/call-slots.ts';
import { LaneTakers } from '../activities/lane-takers.ts';
import { tellWaiter } from '../api/in-flight/tell-waiter.ts';
import { workflowStarters } from '../api/workflow-starters.ts';
import type { Database } from '../db/client.ts';
import type { Vault } from '../db/secrets/vault.ts';
import { BILLING_PARTS } from '../domain/billing/billing-parts.ts';
import type { EgressAllow } from '../domain/egress.ts';
import type { Embedder } from '../domain/embeddings/embedder.ts';
import type { FileStore } from '../domain/files/file-store.ts';
import type { InFlightCaps, InFlightKind } from '../domain/in-flight.ts';
import type { SmtpSettings } from '../domain/notifications/smtp-settings.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import { observedCalls } from './metrics/observe-calls.ts';
import type { ProcessMetrics } from './metrics/process-metrics.ts';
import { type ProcessTracing, TRACING_OFF } from './tracing/open-tracing.ts';
import { tracedCalls } from './tracing/trace-calls.ts';

export interface DependencyParts {
  vault: Pick<Vault, 'open' | 'seal' | 'digests'>;
  /** The bytes of files. */
  files: FileStore;
  /** Addresses and CIDRs that the egress guard allows. */
  egressAllow: EgressAllow;
  /** The service's own listeners, which nothing calls. */
  ownEndpoints: OwnEndpoints;
  /** Resolves the names of tenants' destinations. One for a process. */
  resolve: Resolve;
  watchdog: Watchdog;
  metrics: ProcessMetrics;
  /** Left out: nothing is traced. */
  tracing?: ProcessTracing;
  /** Makes the vectors of texts. Its creator closes it. */
  embedder: Embedder;
  /** The base URLs of the built-in adapters' providers. */
  providers: { stripeBaseUrl: string; resendBaseUrl: string };
  /** Where the chat systems are reached. */
  chats: { slackBaseUrl: string; discordBaseUrl: string };
  /** The mail server of notifications; null: none. */
  smtp: SmtpSettings | null;
  /** The origin that links to our pages begin with; null: nobody said how the service is reached. */
  pagesUrl: string | null;
  /** How many calls this process sends at once. */
  slots: { dispatches: number };
  /** The maximum number of calls of a kind that a workspace has in flight. */
  inFlightCaps: InFlightCaps;
  /** After this time without a heartbeat a dispatch counts as lost. */
  heartbeatTimeoutMs: number;
  logger: Logger;
}

/** What the activities of a process need, over its database and its client of Temporal. */
export function workerDependencies(parts: DependencyParts, db: Database, client: Client) {
  const { egressAllow, ownEndpoints, resolve, watchdog, vault, files, embedder, logger } = parts;
  const sending = { egressAllow, ownEndpoints, resolve };
  const calls = { adapterFor: createAdapters({ ...sending, ...parts.providers }), sendRequest: createSender(sending) };
  const { metrics, tracing = TRACING_OFF } = parts;
  return {
    db,
    tellWaiter: (kind: InFlightKind, holder: string) => tellWaiter(client, kind, holder),
    inFlightCaps: parts.inFlightCaps,
    laneTakers: new LaneTakers(),
    dispatchSlots: new CallSlots(parts.slots.dispatches),
    vault,
    files,
    ...tracedCalls(tracing, observedCalls(metrics, calls)),
    ...workflowStarters(client, db, TASK_QUEUE),
    chat: createChatClient({ ...sending, watchdog, ...parts.chats }),
    mailer: parts.smtp === null ? null : createSmtpMailer(parts.smtp),
    ...BILLING_PARTS,
    metrics: metrics.recorder,
    pagesUrl: parts.pagesUrl,
    heartbeatTimeoutMs: parts.heartbeatTimeoutMs,
    watchdog,
    embedder,
    logger,
  };
}
