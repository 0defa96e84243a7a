import { countEgress } from '../../db/plans/allowances.ts';
import type { Grant } from '../../domain/flow-control/flow-control.ts';
import { type Granted, isWithoutPermit } from '../../domain/in-flight.ts';
import type { DeliveryStep, MessageRef } from '../../domain/messages/messages.ts';
import type { EgressMeter } from '../adapters/http-request/exchange.ts';
import type { CallTrace } from '../adapters/http-request/send-request.ts';
import { OverdueError } from '../adapters/watchdog.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { followDelivery } from './follow-delivery.ts';
import { startGranted } from '../flow-control/start-granted.ts';
import { releasePermit } from '../../db/in-flight/permits.ts';
import { Queued } from '../permit-takers.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { recordPatiently } from '../record-patiently.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import type { Sent } from '../adapters/http-request/send-request.ts';
import { readAnswer, type AttemptResult } from './read-answer.ts';
import { makeDelivery } from './make-delivery.ts';
import { startWaitingFiring } from './start-waiting-firing.ts';
import { settleAttempt } from './settle-attempt.ts';
import { type Delivery, type Visit, visitMessage } from './visit-message.ts';

/**
 * Looks at a message and does what is due: waits, holds, ends, or makes the next attempt. It decides everything from the
 * locked row, so it may run any number of times and always sees a cancel or a halt that committed before.
 *
 * Deliveries are at least once. A crash before the attempt row: nothing was sent, and the next run attempts. Between the row
 * and its end: the next run finds the attempt open, abandons it as lost, and the retry schedule goes on. After the end: the
 * next run returns what is on record.
 */
export function attemptMessage(deps: ActivityDependencies) {
  return async (ref: MessageRef): Promise<DeliveryStep> => withHeartbeats(deps, () => attemptOnce(deps, ref));
}

async function attemptOnce(deps: ActivityDependencies, ref: MessageRef): Promise<DeliveryStep> {
  const visit = await visited(deps, ref);
  if (visit.next !== 'send') return afterStep(deps, ref, visit);
  const call: Call = { egress: { bytes: 0 }, trace: { address: null }, latencyMs: null };
  const result = await send(deps, ref, visit.delivery, call);
  const { step, next, grant } = await record(deps, ref, visit.delivery, result, call);
  await startGranted(deps, ref, grant);
  await tellNext(deps, 'delivery', next);
  return afterStep(deps, ref, step);
}

/** What an attempt finds out about its call, whatever comes of it. */
interface Call {
  egress: EgressMeter;
  trace: CallTrace;
  /** Null when nothing was dialled. */
  latencyMs: number | null;
}

/**
 * Releases the permit, or the position in the queue, of a message that neither sends nor waits for a permit: a cancelled or
 * held message must keep nothing waiting, and a lost attempt is over.
 */
async function visited(deps: ActivityDependencies, ref: MessageRef): Promise<Visit> {
  const permit = { kind: 'delivery', holder: ref.messageId, most: deps.inFlightCaps.delivery } as const;
  const inTransaction = () =>
    deps.db.withEnvironment(ref, async (tx) => {
      const seen = await visitMessage(tx, deps, ref);
      if (seen === null || seen instanceof Queued) return seen;
      const { visit, grant, ended } = seen;
      const next = visit.next === 'send' ? null : await releasePermit(tx, permit);
      await followDelivery(tx, deps, ref, ended);
      return { visit, grant, next };
    });
  const visited = await deps.permitTakers.inTurn({ workspaceId: ref.workspaceId, ...permit }, inTransaction);
  if (isWithoutPermit(visited)) return { next: 'wait', delayMs: visited.lookAgainMs, isQueued: true };
  await startGranted(deps, ref, visited.grant);
  await tellNext(deps, 'delivery', visited.next);
  return visited.visit;
}

/** The end of a schedule's message lets the run begin that waits for it. Where this is lost, the sweep finds that run. */
async function afterStep(deps: ActivityDependencies, ref: MessageRef, step: DeliveryStep): Promise<DeliveryStep> {
  if (step.next === 'end' && step.scheduleId !== undefined) await startWaitingFiring(deps, ref, step.scheduleId);
  return step;
}

/** A started call runs to its own time-out: aborting it would only make the destination receive it twice. */
async function send(
  deps: ActivityDependencies,
  ref: MessageRef,
  delivery: Delivery,
  call: Call,
): Promise<AttemptResult> {
  let made: ReturnType<typeof makeDelivery>;
  try {
    made = makeDelivery(deps.vault, ref, delivery, Math.floor(Date.now() / 1_000));
  } catch (error) {
    // A missing master key, for one. The fault is ours, and the retry schedule gives time to fix it.
    deps.logger.error({ ...ref, err: error }, 'could not make a delivery ready');
    const reason = 'the request could not be made ready on our side';
    return readAnswer({ kind: 'not_sent', reason }, []);
  }
  const { request, limit, secrets } = made;
  const timeoutMs = delivery.work.timeoutSeconds * 1_000;
  const { workspaceId, environmentId } = ref;
  const watched = {
    kind: 'delivery',
    workspaceId,
    ids: { environmentId, messageId: delivery.work.id },
    timeoutMs,
  } as const;
  const startedAtMs = performance.now();
  const { egress, trace } = call;
  const sent = await deps.watchdog
    .run(watched, (signal) => deps.sendRequest(request, limit, { timeoutMs, signal, egress, trace }))
    .catch((error: unknown): Sent => {
      if (!(error instanceof OverdueError)) throw error;
      return { kind: 'no_answer', reason: error.message };
    })
    .finally(() => {
      call.latencyMs = Math.round(performance.now() - startedAtMs);
    });
  return readAnswer(sent, secrets);
}

async function record(
  deps: ActivityDependencies,
  ref: MessageRef,
  { work, attempt }: Delivery,
  result: AttemptResult,
  { egress, trace, latencyMs }: Call,
): Promise<{ step: DeliveryStep; next: Granted | null; grant: Grant | null }> {
  const { address } = trace;
  const closing = { number: attempt.number, status: 'completed', result, address, latencyMs } as const;
  return recordPatiently(deps, ref, () =>
    deps.db.withEnvironment(ref, async (tx) => {
      const { step, closed, grant, ended } = await settleAttempt(tx, deps, ref, work, closing);
      // Where another execution closed it, the permit, or the place in the queue, is that of the attempt after it.
      if (!closed) return { step, next: null, grant };
      const wanted = { kind: 'delivery', holder: work.id, most: deps.inFlightCaps.delivery } as const;
      const steps = [() => releasePermit(tx, wanted), () => countEgress(tx, egress.bytes)] as const;
      const [next] = ended === null ? await tx.last(...steps) : await tx.inOrder(...steps);
      if (ended !== null) await followDelivery(tx, deps, ref, ended);
      return { step, next, grant };
    }),
  );
}
