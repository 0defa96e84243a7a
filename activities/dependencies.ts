import type { Logger } from 'pino';
import type { Database, Tenant } from '../db/client.ts';
import type { Vault } from '../db/secrets/vault.ts';
import type { BillingMonthRef } from '../domain/billing/month-ref.ts';
import type { PaymentProvider } from '../domain/billing/payment-provider.ts';
import type { PriceList } from '../domain/billing/price-list.ts';
import type { ApprovalRef } from '../domain/approvals/approval.ts';
import type { DeadLetterJobRef } from '../domain/dead-letters/dead-letters.ts';
import type { Embedder } from '../domain/embeddings/embedder.ts';
import type { EventRef } from '../domain/events/events.ts';
import type { FileStore } from '../domain/files/file-store.ts';
import type { ChatClient } from '../domain/integrations/chat-client.ts';
import type { MemoryJobRef } from '../domain/memory/memory-jobs.ts';
import type { Recorder } from '../domain/metrics/recorder.ts';
import type { EmailRef } from '../domain/notifications/emails.ts';
import type { Mailer } from '../domain/notifications/mailer.ts';
import type { MessageRef } from '../domain/messages/messages.ts';
import type { InFlightCaps, InFlightKind } from '../domain/in-flight.ts';
import type { FiringRef, ScheduleRef, TemporalPlan } from '../domain/schedules/schedules.ts';
import type { EffectToRead, InvocationRef } from '../domain/refs.ts';
import type { AdapterFor } from './adapters/index.ts';
import type { SendRequest } from './adapters/http-request/send-request.ts';
import type { Watchdog } from './adapters/watchdog.ts';
import type { CallSlots } from './call-slots.ts';
import type { LaneTakers } from './lane-takers.ts';

export interface ActivityDependencies {
  db: Database;
  /** Opens credentials, only inside a dispatch, a read-back or a delivery. Seals what a callback must not show. */
  vault: Pick<Vault, 'open' | 'seal' | 'digests'>;
  adapterFor: AdapterFor;
  /** Starts the workflow of an admitted invocation, or finds it running. */
  startInvocation(ref: InvocationRef): Promise<void>;
  /** Ends the wait of an invocation, for a person or for other effects. */
  cancelInvocation(ref: InvocationRef): Promise<void>;
  /** Starts the reconciliation of an effect, or the watch over one that may be reversed, if it does not run already. */
  startReads(ref: EffectToRead, kind: 'reconciliation' | 'reversal'): Promise<void>;
  /** Signals the workflow of an approval to read its row; starts it where none runs. */
  wakeApproval(ref: ApprovalRef): Promise<void>;
  /** Starts the workflow of a message that waits for its time, or has a running one look again. */
  wakeMessage(ref: MessageRef): Promise<void>;
  /** Has the workflow of a message look again, where one runs. */
  tellMessage(messageId: string): Promise<void>;
  /** Starts the pacer of an environment's scheduled messages, or has a running one look again. */
  paceMessages(tenant: Tenant): Promise<void>;
  /** Starts the workflow of a dead-letter job, or tells the running one to look. */
  wakeDeadLetterJob(ref: DeadLetterJobRef): Promise<void>;
  /** Starts the workflow of a memory job, or tells the running one to look. */
  wakeMemoryJob(ref: MemoryJobRef): Promise<void>;
  /** Starts the fan-out of an event, or leaves the running one. */
  fanOutEvent(ref: EventRef): Promise<void>;
  /** Starts the sending of an e-mail, or leaves the running one. */
  sendEmail(ref: EmailRef): Promise<void>;
  /** Makes or changes the Temporal Schedule. Fires slots before `now` as far back as the catch-up reaches. */
  putSchedule(ref: ScheduleRef, plan: TemporalPlan, now: Date): Promise<void>;
  forgetSchedule(scheduleId: string): Promise<void>;
  /** Starts a firing that was queued by hand, or that need not wait any longer. */
  startFiring(firing: FiringRef): Promise<void>;
  /** Starts the closing of a month, or leaves the running one. */
  closeBillingMonth(ref: BillingMonthRef): Promise<void>;
  prices: PriceList;
  payments: PaymentProvider;
  /** What the sweep finds out, for the metrics of the process. */
  metrics: Recorder;
  inFlightCaps: InFlightCaps;
  /** After this time without a heartbeat a dispatch counts as lost. The same for every worker. */
  heartbeatTimeoutMs: number;
  /** The turns, in this process, to ask for a place, and the calls that wait here to be told of one. */
  laneTakers: LaneTakers;
  /** The calls that begin without a task of their own. */
  dispatchSlots: CallSlots;
  /** Signals a workflow in the queue for a place that it was granted one. False where it has ended. */
  tellWaiter(kind: InFlightKind, holder: string): Promise<boolean>;
  sendRequest: SendRequest;
  chat: ChatClient;
  /** Sends the e-mails of notifications; null where no mail server is configured. */
  mailer: Mailer | null;
  /** The origin that links to our pages begin with; null where nobody said how the service is reached. */
  pagesUrl: string | null;
  embedder: Embedder;
  files: FileStore;
  watchdog: Pick<Watchdog, 'run' | 'pauses'>;
  logger: Logger;
}

export type TellDependency = 'inFlightCaps' | 'laneTakers' | 'tellWaiter';

/** The part that the life of an invocation needs: it opens credentials and never seals one. */
export type InvocationDependencies = Pick<
  ActivityDependencies,
  'db' | 'adapterFor' | 'files' | 'logger' | 'watchdog' | 'heartbeatTimeoutMs' | 'dispatchSlots' | TellDependency
> & {
  vault: Pick<Vault, 'open'>;
};
