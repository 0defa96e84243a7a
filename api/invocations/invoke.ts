import { hasBegun } from '../../db/invocations/queries.ts';
import { withdrawInvocation } from '../../db/invocations/admission.ts';
import type { InvocationRecord } from '../../db/invocations/records.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { admit, type Admitted, type InvokeRequest } from './admit.ts';
import { withInputAnswers } from '../json-schema/input-answers.ts';
import { awaitRest } from './await-rest.ts';
import { startInvocationWorkflow } from './start-invocation-workflow.ts';
import { withdrawWhereLeftLying } from './withdraw-left-lying.ts';

/** Beyond the action's own time-out: evaluation, read-back and settlement. Then the caller is answered 202. */
const REPLY_MARGIN_MS = 10_000;

type Invoking = Pick<
  EnvironmentHandlerContext<unknown, unknown, unknown>,
  'deps' | 'caller' | 'transaction' | 'signal' | 'requestId'
>;

/**
 * Admits an invocation, starts its workflow and waits for its end. Each wait holds a connection, so where as many of the workspace wait as
 * may, it answers with the invocation as it stands.
 *
 * A kill after the admission committed: the sweep starts the workflow, and a retry with the same key finds the row and waits
 * for it. A kill after the start: the workflow goes on without us. Temporal away, or no worker that takes it up: the admission is
 * withdrawn and the caller gets an error, unless the workflow began after all.
 */
export async function invoke(invoking: Invoking, request: InvokeRequest): Promise<InvocationRecord> {
  const leave = invoking.deps.settlements.takePlace(invoking.caller.tenant.workspaceId);
  try {
    return await admitAndAwait(invoking, request, leave !== null);
  } finally {
    leave?.();
  }
}

async function admitAndAwait(
  { deps, caller, transaction, signal, requestId }: Invoking,
  request: InvokeRequest,
  mayWait: boolean,
): Promise<InvocationRecord> {
  // A caller who waits learns the result only after a further commit: the fence, a refusal or the settlement. If the admission was lost
  // with PostgreSQL, its workflow finds it withdrawn, and we find no invocation below. A caller who may not wait is told at once.
  const flush = mayWait ? 'with_the_next' : 'now';
  const admitted = await withInputAnswers(deps.schemas, caller.tenant.workspaceId, (answers) =>
    transaction((tx) => admit(tx, { ...request, requestId }, answers), { flush }),
  );
  const { invocationId } = admitted;
  const timeoutMs = mayWait ? admitted.action.definition.timeoutMs + REPLY_MARGIN_MS : 0;
  let endLook = (): Promise<void> => Promise.resolve();
  const begin = async (): Promise<'begun' | 'look_first'> => {
    await start(deps, caller, admitted, requestId);
    if (!admitted.fresh) return 'look_first';
    endLook = withdrawWhereLeftLying(deps, caller.tenant, invocationId);
    return 'begun';
  };
  try {
    const invocation = await awaitRest(deps, caller.tenant, invocationId, timeoutMs, begin, signal);
    if (invocation) return invocation;
  } finally {
    await endLook();
  }
  throw notStarted(invocationId, 'it was withdrawn by the request that admitted it');
}

async function start(deps: ApiDependencies, caller: Caller, admitted: Admitted, requestId: string): Promise<void> {
  const { invocationId, action, fresh } = admitted;
  const ref = { invocationId, workspaceId: caller.tenant.workspaceId, environmentId: caller.tenant.environmentId };
  try {
    // Only asks Temporal where nobody polled some seconds ago.
    if (fresh && deps.workers.state === 'none' && (await deps.workers.look()) === 'none')
      throw new Error('no worker polls for invocations');
    await startInvocationWorkflow(deps.temporal, ref, {
      actionName: action.name,
      environmentName: caller.environment.name,
      requestId,
      eager: deps.eagerStart,
      taskQueue: deps.taskQueue,
    });
  } catch (error) {
    // The start may have reached Temporal although its reply was lost. The first commit decides, this withdrawal or the
    // workflow's evaluation; the other one finds it.
    const withdrawn =
      fresh && (await deps.db.withEnvironment(caller.tenant, (tx) => withdrawInvocation(tx, invocationId)));
    // Another request's invocation that is queued still is left to that request and to the sweep.
    if (!withdrawn && (await deps.db.withEnvironment(caller.tenant, (tx) => hasBegun(tx, invocationId)))) return;
    const log = 'could not start the workflow';
    throw withdrawn ? notStarted(invocationId, log, error) : stillQueued(invocationId, log, error);
  }
}

function notStarted(invocationId: string, log: string, cause?: unknown): ServiceError {
  const message = 'The invocation was not started; nothing was sent. Send it again with the same Idempotency-Key.';
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message,
    log,
    touched: { invocationId },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** It may be sent later, so this promises nothing. */
function stillQueued(invocationId: string, log: string, cause: unknown): ServiceError {
  const message =
    'An earlier request with this operation key was accepted and waits to be started. Send it again with the same Idempotency-Key to read how it ends.';
  return new ServiceError('SERVICE_UNAVAILABLE', { message, log, touched: { invocationId }, cause });
}
