import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { Vault } from '../db/secrets/vault.ts';
import type { ApprovalRef } from '../domain/approvals/approval.ts';
import type { MessageRef } from '../domain/messages/messages.ts';
import type { InFlightCaps, InFlightKind } from '../domain/in-flight.ts';
import type { EffectRef, InvocationRef } from '../domain/refs.ts';
import type { AdapterFor } from './adapters/index.ts';
import type { SendRequest } from './adapters/http-request/send-request.ts';
import type { Watchdog } from './adapters/watchdog.ts';

/** What the activities are handed by worker.ts, the embedded stack or a test. */
export interface ActivityDependencies {
  db: Database;
  /** Opens credentials, inside a dispatch, a read-back or a delivery and nowhere else; seals what a callback must not show. */
  vault: Pick<Vault, 'open' | 'seal'>;
  adapterFor: AdapterFor;
  /** Starts the workflow of an admitted invocation, or finds it running. */
  startInvocation(ref: InvocationRef): Promise<void>;
  /** Starts the reconciliation of an effect, or the watch over one that may be reversed, or finds it running. */
  startReads(ref: EffectRef, kind: 'reconciliation' | 'reversal'): Promise<void>;
  /** Tells the workflow of an approval to read its row, or starts it where there is none. */
  wakeApproval(ref: ApprovalRef): Promise<void>;
  /** Starts the workflow of an accepted message, or wakes the one that runs. */
  wakeMessage(ref: MessageRef): Promise<void>;
  /** How many calls of a kind a workspace may have under way. */
  inFlightCaps: InFlightCaps;
  /** Tells who waits in line for a place in flight that one is free. */
  tellWaiter(kind: InFlightKind, holder: string): Promise<void>;
  /** Carries the deliveries of messages, through the egress guard. */
  sendRequest: SendRequest;
  /** Ends calls that outlive their deadline. */
  watchdog: Pick<Watchdog, 'run'>;
  logger: Logger;
}

/** What the life of an invocation takes of them: it opens credentials and never seals one. */
export type InvocationDependencies = Pick<
  ActivityDependencies,
  'db' | 'adapterFor' | 'logger' | 'watchdog' | 'inFlightCaps' | 'tellWaiter'
> & {
  vault: Pick<Vault, 'open'>;
};
