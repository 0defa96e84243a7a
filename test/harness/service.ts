import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { pino } from 'pino';
import { inject } from 'vitest';
import { type AdapterFor, createAdapters, createSender } from '../../activities/adapters/index.ts';
import { createChatClient } from '../../activities/adapters/chat/chat-client.ts';
import { createSmtpMailer } from '../../activities/adapters/mail/smtp-mailer.ts';
import { createWorker, DEFAULT_SLOTS, type WorkerGroup, type WorkerSlots } from '../../activities/create-worker.ts';
import { keepRelaying } from '../../activities/events/relay-events.ts';
import { LaneBell } from '../../db/announcements/lanes-ready.ts';
import { DeliveryClaimer } from '../../activities/messages/delivery-claimer.ts';
import { PlainInvocations } from '../../activities/invocations/plain-invocations.ts';
import { keepPlaces } from '../../activities/in-flight/keep-places.ts';
import { CallSlots } from '../../activities/call-slots.ts';
import { LaneTakers } from '../../activities/lane-takers.ts';
import type { Repeated } from '../../activities/repeat-until-stopped.ts';
import { createActivities } from '../../activities/index.ts';
import { tellWaiter } from '../../api/in-flight/tell-waiter.ts';
import { workflowStarters } from '../../api/workflow-starters.ts';
import { Vault } from '../../db/secrets/vault.ts';
import type { Embedder } from '../../domain/embeddings/embedder.ts';
import type { Mailer } from '../../domain/notifications/mailer.ts';
import type { SmtpSettings } from '../../domain/notifications/smtp-settings.ts';
import type { InFlightCaps, InFlightKind } from '../../domain/in-flight.ts';
import { activityQueue } from '../../temporal/task-queues.ts';
import { HEARTBEAT_TIMEOUT_MS } from '../../domain/heartbeats.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../domain/egress.ts';
import { type CallResult, startTestApi, type TestApi, type TestApiOptions } from '../api/harness/test-api.ts';
import { WATCHDOG } from './watchdog.ts';
import { NO_PAYMENT_PROVIDER } from '../../domain/billing/payment-provider.ts';
import { PRICE_LIST } from '../../domain/billing/price-list.ts';
import { NOTHING_RECORDED } from '../../domain/metrics/recorder.ts';
import { closesWithFile } from './closes-with-file.ts';

export interface TestService extends TestApi {
  /** A key of the development environment with every scope. */
  key: string;
  taskQueue: string;
  client: Client;
  /** What the worker starts, on the task queue of this service: the sweep's starts too, which no test service runs. */
  starters: ReturnType<typeof workflowStarters>;
  /** Lines of the worker's log, at trace level. */
  workerLogLines: string[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<CallResult>;
  get(path: string): Promise<CallResult>;
}

/** Where links to our pages lead in tests. */
export const PAGES_URL = 'https://agents.example';

export interface TestServiceOptions {
  /** Addresses that the egress guard lets through; by default the loopback. */
  egressAllow?: string;
  /** Fakes that replace the providers (test/harness/providers). */
  providers?: { stripeBaseUrl?: string; resendBaseUrl?: string };
  /** The same for the chat systems. */
  chats?: { slackBaseUrl?: string; discordBaseUrl?: string };
  /** If false, only the API runs, and the workflows it starts wait for a worker. */
  worker?: boolean;
  /** The mail server; by default none. */
  smtp?: Omit<SmtpSettings, 'from'> & { ca?: string };
  /** Replaces an adapter's sending half, or its declaration, with a double. */
  adapterFor?: (real: AdapterFor) => AdapterFor;
  /** If true, platform events are taken out of the outbox. By default they stay there. */
  relay?: boolean;
  slots?: WorkerSlots;
  /** The most calls a workspace may have in flight; by default 20 of each kind. */
  inFlightCaps?: InFlightCaps;
  /** What makes the vectors of texts; by default a fake that knows words and no meaning. */
  embedder?: Embedder;
  /** Called with every reply before it is stored or sent; by default replies are checked against their schemas. */
  onReply?: NonNullable<TestApiOptions['onReply']>;
}

/** Where e-mails are from in tests. */
export const MAIL_FROM = 'runtime@agents.example';

function mailerOf(smtp: TestServiceOptions['smtp']): Mailer | null {
  if (smtp === undefined) return null;
  const { ca, ...settings } = smtp;
  return createSmtpMailer({ ...settings, from: MAIL_FROM }, ca === undefined ? {} : { ca });
}

/** API and worker in this process over real HTTP, on their own database and task queue. It closes with the file. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const stack = inject('stack');
  const taskQueue = `test-${randomUUID()}`;
  const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
  const laneBell = new LaneBell();
  const api = await startTestApi({
    laneBell,
    ...(options.onReply === undefined ? {} : { onReply: options.onReply }),
    taskQueue,
    vault,
    ...(options.chats === undefined ? {} : { chats: options.chats }),
    ...(options.embedder === undefined ? {} : { embedder: options.embedder }),
  });
  const egressAllow = parseEgressAllow(options.egressAllow ?? LOOPBACK_EGRESS);
  const workerLogLines: string[] = [];
  const connection = await NativeConnection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection, namespace: stack.temporalNamespace });
  const starters = workflowStarters(client, api.deps.db, taskQueue);
  const logger = pino({ level: 'trace' }, { write: (line: string) => void workerLogLines.push(line) });
  const places = {
    db: api.deps.db,
    tellWaiter: (kind: InFlightKind, holder: string) => tellWaiter(client, kind, holder),
    inFlightCaps: options.inFlightCaps ?? {
      dispatch: 20,
      delivery: 20,
      provider_read: 10,
      notification: 10,
      maintenance: 5,
    },
    laneTakers: new LaneTakers(),
    logger,
  };
  const deps = {
    ...places,
    dispatchSlots: new CallSlots((options.slots ?? DEFAULT_SLOTS).dispatches),
    vault,
    files: api.deps.files,
    adapterFor: (options.adapterFor ?? ((real) => real))(createAdapters({ egressAllow, ...options.providers })),
    sendRequest: createSender({ egressAllow }),
    chat: createChatClient({ egressAllow, watchdog: WATCHDOG, ...options.chats }),
    mailer: mailerOf(options.smtp),
    prices: PRICE_LIST,
    payments: NO_PAYMENT_PROVIDER,
    metrics: NOTHING_RECORDED,
    pagesUrl: PAGES_URL,
    watchdog: WATCHDOG,
    embedder: api.deps.embedder,
    ...starters,
    heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
  };
  const activities = createActivities(deps);
  const plain = new PlainInvocations(deps);
  let worker: WorkerGroup | null = null;
  const keepers: Repeated[] = [];
  let running: Promise<void> = Promise.resolve();
  if (options.worker !== false) {
    const { temporalNamespace: namespace, workflowBundlePath } = stack;
    worker = await createWorker({
      connection,
      namespace,
      taskQueue,
      activityQueue,
      ...(options.slots === undefined ? {} : { slots: options.slots }),
      workflowBundlePath,
      activities,
      shutdownGraceMs: 1_000,
    });
    running = worker.run();
    api.deps.runPlain = plain.run;
    const claimer = new DeliveryClaimer(deps, {
      slots: (options.slots ?? DEFAULT_SLOTS).deliveries,
      shutdownGraceMs: 1_000,
    });
    laneBell.answerWith((tenant) => claimer.wake(tenant));
    keepers.push(keepPlaces(places), claimer.run());
    if (options.relay === true)
      keepers.push(keepRelaying({ ...places, vault, pagesUrl: PAGES_URL, ...starters }, { intervalMs: 100 }));
  }
  const { key } = await api.createKey(api.database.tenant);
  return {
    ...api,
    key,
    taskQueue,
    client,
    starters,
    workerLogLines,
    post: (path, body, headers = {}) => api.call('POST', path, { key, body, headers }),
    get: (path) => api.call('GET', path, { key }),
    close: closesWithFile(async () => {
      await plain.stop();
      worker?.shutdown();
      await running;
      await Promise.all(keepers.map((keeper) => keeper.stop()));
      await connection.close();
      await api.close();
    }),
  };
}
