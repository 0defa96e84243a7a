import { hasBegun } from '../../db/invocations/queries.ts';
import { withdrawInvocation } from '../../db/invocations/admission.ts';
import type { InvocationRecord } from '../../db/invocations/records.ts';
import { ServiceError } from '../../domain/errors.ts';
import { describeFailure } from '../../domain/failures.ts';
import type { Caller } from '../http/define-route.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { admit, type Admitted, type InvokeRequest } from './admit.ts';
import { withInputAnswers } from '../json-schema/input-answers.ts';
import { awaitRest } from './await-rest.ts';
import { startInvocationWorkflow } from './start-invocation-workflow.ts';
import { withdrawWhereLeftLying } from './withdraw-left-lying.ts';

/** Time beyond the action's own time-out for evaluation, read-back and settlement; then the reply is 202. */
export const REPLY_MARGIN_MS = 10_000;

type Invoking = Pick<
  EnvironmentHandlerContext<unknown, unknown, unknown>,
  'deps' | 'caller' | 'transaction' | 'signal' | 'requestId'
>;

/**
 * Admits an invocation, starts its workflow and waits for its end. When too many of the workspace wait, returns the present state: each
 * wait holds a connection.
 *
 * Killed after the admission's commit: the sweep starts the workflow, and a retry with the same key finds the row. Killed after the start:
 * the workflow continues. Temporal or all workers away: the admission is withdrawn and the caller gets an error, unless the workflow began
 * after all.
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
  // A waiting caller learns the result after a further commit: fence, refusal or settlement. If PostgreSQL lost the admission, the workflow
  // finds it withdrawn and no invocation is found below. A caller who may not wait needs the flush now.
  const flush = mayWait ? 'with_the_next' : 'now';
  const admitted = await withInputAnswers(deps.schemas, caller.tenant.workspaceId, (answers) =>
    transaction((tx) => admit(tx, { ...request, requestId }, answers), { flush }),
  );
  const { invocationId } = admitted;
  if (admitted.fresh) deps.tracing.made(invocationId);
  const timeoutMs = mayWait ? admitted.action.definition.timeoutMs + REPLY_MARGIN_MS : 0;
  let endLook = (): Promise<boolean> => Promise.resolve(false);
  const begin = async (): Promise<'begun' | 'look_first'> => {
    if (await runPlain(deps, caller, admitted, request)) return 'look_first';
    await start(deps, caller, admitted, requestId);
    if (!admitted.fresh) return 'look_first';
    endLook = withdrawWhereLeftLying(deps, caller.tenant, invocationId);
    return 'begun';
  };
  try {
    const invocation = await awaitRest(deps, caller.tenant, invocationId, timeoutMs, begin, signal);
    // A look that is under way when the wait ends may withdraw it after this read.
    if (invocation !== null && !(await endLook())) {
      // The request that admitted it may withdraw it until it has begun: its id is told to nobody before, however long they waited.
      const isHeld = admitted.fresh || invocation.status !== 'queued';
      if (isHeld || (await deps.db.oneStatement(caller.tenant, (tx) => hasBegun(tx, invocationId)))) return invocation;
      throw stillQueued(invocationId, 'the request that admitted it may withdraw it');
    }
  } finally {
    await endLook();
  }
  throw notStarted(invocationId, 'it was withdrawn by the request that admitted it');
}

/**
 * Runs it here where it is plain and names nothing that it would wait for. False where it needs a workflow, which goes on from the record,
 * also after a failure.
 */
async function runPlain(
  deps: ApiDependencies,
  { tenant }: Caller,
  { invocationId, action, fresh }: Admitted,
  request: InvokeRequest,
): Promise<boolean> {
  if (deps.runPlain === null || !fresh || action.definition.governed || request.dependsOn.length > 0) return false;
  const { workspaceId, environmentId } = tenant;
  try {
    return await deps.runPlain({ invocationId, workspaceId, environmentId });
  } catch (error) {
    deps.logger.warn(
      { invocationId, failure: describeFailure(error) },
      'a plain invocation broke off: its workflow goes on',
    );
    return false;
  }
}

async function start(deps: ApiDependencies, caller: Caller, admitted: Admitted, requestId: string): Promise<void> {
  const { invocationId, action, fresh } = admitted;
  const ref = { invocationId, workspaceId: caller.tenant.workspaceId, environmentId: caller.tenant.environmentId };
  try {
    // Asks Temporal only when nobody polled some seconds ago.
    if (fresh && deps.workers.state === 'none' && (await deps.workers.look()) === 'none')
      throw new Error('no worker polls for invocations');
    await startInvocationWorkflow(deps.temporal, ref, {
      actionName: action.name,
      environmentName: caller.environment.name,
      requestId,
      eager: deps.eagerStart(),
      taskQueue: deps.taskQueue,
    });
  } catch (error) {
    // The start may have reached Temporal although its reply was lost. The first commit decides: this withdrawal or the workflow's
    // evaluation.
    const withdrawn =
      fresh && (await deps.db.withEnvironment(caller.tenant, (tx) => withdrawInvocation(tx, invocationId)));
    // Another request's queued invocation remains for that request and the sweep.
    if (!withdrawn && (await deps.db.withEnvironment(caller.tenant, (tx) => hasBegun(tx, invocationId)))) return;
    const log = 'could not start the workflow';
    throw withdrawn ? notStarted(invocationId, log, error) : stillQueued(invocationId, log, error);
  }
}

function notStarted(invocationId: string, log: string, cause?: unknown): ServiceError {
  const message = 'The invocation was not started; nothing was sent. Send it again with the same Idempotency-Key.';
  return unavailable(invocationId, message, log, cause);
}

/** Promises nothing: it may be sent later. */
function stillQueued(invocationId: string, log: string, cause?: unknown): ServiceError {
  const message =
    'An earlier request with this operation key was accepted and waits to be started. Send it again with the same Idempotency-Key to read how it ends.';
  return unavailable(invocationId, message, log, cause);
}

function unavailable(invocationId: string, message: string, log: string, cause: unknown): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message,
    log,
    touched: { invocationId },
    ...(cause === undefined ? {} : { cause }),
  });
}
