import type { Tenant } from '../../db/client.ts';
import type { SealedSigner } from '../../db/events/subscription-secrets.ts';
import type { Outcome } from '../../db/messages/claims.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import type { Sent } from '../adapters/http-request/send-request.ts';
import { OverdueError } from '../adapters/watchdog.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { makeDelivery } from './make-delivery.ts';
import { type AttemptResult, NOTHING_SEEN, readAnswer } from './read-answer.ts';

/** An attempt that is over, and not on record yet. */
export interface EndedAttempt {
  work: MessageWork;
  /** `abandoned`: its worker was lost, and nobody knows what it saw. */
  status: 'completed' | 'abandoned';
  result: AttemptResult;
  /** The address that was dialled. Null when none was, or when nobody knows. */
  address: string | null;
  /** Null when nothing was dialled, or when nobody knows. */
  latencyMs: number | null;
  egressBytes: number;
}

/** An attempt with what comes of its message. */
export interface SettledAttempt extends EndedAttempt {
  outcome: Outcome;
  /** A workflow keeps the time of the message: it is told. */
  hasWorkflow: boolean;
}

/** The end of an attempt that saw no response. */
export function unseen(
  work: MessageWork,
  status: EndedAttempt['status'],
  { error, failure }: Pick<AttemptResult, 'error' | 'failure'>,
): EndedAttempt {
  const result = { seen: NOTHING_SEEN, retryAfter: null, error, failure };
  return { work, status, result, address: null, latencyMs: null, egressBytes: 0 };
}

type SendDependencies = Pick<ActivityDependencies, 'vault' | 'sendRequest' | 'watchdog' | 'logger'>;

/** Makes one attempt. A started call runs to its own time-out: aborting it would only make the destination receive it twice. */
export async function sendAttempt(
  deps: SendDependencies,
  tenant: Tenant,
  work: MessageWork,
  signers: readonly SealedSigner[],
): Promise<EndedAttempt> {
  const { workspaceId, environmentId } = tenant;
  const ids = { environmentId, messageId: work.id };
  let made: ReturnType<typeof makeDelivery>;
  try {
    made = makeDelivery(deps.vault, tenant, work, signers, Math.floor(Date.now() / 1_000));
  } catch (error) {
    // A missing master key, for one. The fault is ours, and the retry schedule gives time to fix it.
    deps.logger.error({ workspaceId, ...ids, err: error }, 'could not make a delivery ready');
    const reason = 'the request could not be made ready on our side';
    return unseen(work, 'completed', await readAnswer({ kind: 'not_sent', reason }, []));
  }
  const { request, limit, secrets } = made;
  const timeoutMs = work.timeoutSeconds * 1_000;
  const egress = { bytes: 0 };
  const trace: { address: string | null } = { address: null };
  const startedAtMs = performance.now();
  const watched = { kind: 'delivery', workspaceId, ids, timeoutMs } as const;
  const sent = await deps.watchdog
    .run(watched, (signal) => deps.sendRequest(request, limit, { timeoutMs, signal, egress, trace }))
    .catch((error: unknown): Sent => {
      if (!(error instanceof OverdueError)) throw error;
      return { kind: 'no_answer', reason: error.message };
    });
  const latencyMs = Math.round(performance.now() - startedAtMs);
  const result = await readAnswer(sent, secrets);
  return { work, status: 'completed', result, address: trace.address, latencyMs, egressBytes: egress.bytes };
}
