import { getAction } from '../../db/actions/get-action.ts';
import { admitToBudget } from '../../db/budgets/admit-to-budget.ts';
import { hasOldReservation } from '../../db/budgets/has-old-reservation.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { admitInvocation } from '../../db/invocations/admit-invocation.ts';
import { findByOperationKey } from '../../db/invocations/find-by-operation-key.ts';
import { getInvocation } from '../../db/invocations/get-invocation.ts';
import type { InvocationRecord } from '../../db/invocations/records.ts';
import { consumeAllowance } from '../../db/plans/consume-allowance.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { digestOf } from '../../domain/canonical-json.ts';
import { type Issue, notFound, ServiceError, validationError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { compileSchema } from '../../domain/json-schema.ts';
import type { Actor } from '../http/define-route.ts';

export interface InvokeRequest {
  ref: string;
  input: JsonObject;
  operationKey: string | null;
  retryOf: string | null;
  runId: string | null;
  agentId: string | null;
  actor: Actor;
}

export interface Admitted {
  /** A new invocation, whose workflow must be started; else the one that took the operation key before. */
  fresh: boolean;
  invocationId: string;
  action: ActionRecord;
}

/**
 * Checks an invocation against its action and admits it. Whatever the caller can mend is answered here, before anything is
 * written: unknown action 404, input that does not fit or does not render 400, a used operation key 409,
 * a used-up allowance of executions 429.
 */
export async function admit(tx: EnvironmentTransaction, request: InvokeRequest): Promise<Admitted> {
  const action = await getAction(tx, request.ref);
  if (!action) throw notFound('action');
  const { ref: _, operationKey, actor, ...asked } = request;
  const requestDigest = digestOf({ actionId: action.id, ...asked });
  try {
    await check(tx, action, request);
  } catch (error) {
    // An action that changed meanwhile says nothing against a request that was admitted before: its reply is on record.
    const earlier =
      operationKey !== null && error instanceof ServiceError ? await findByOperationKey(tx, operationKey) : null;
    if (earlier?.requestDigest !== requestDigest) throw error;
    await refuseOldReservation(tx, earlier.id);
    return { fresh: false, invocationId: earlier.id, action };
  }
  const admission = await admitInvocation(tx, {
    ...asked,
    actionId: action.id,
    versionId: action.currentVersion.id,
    operationKey,
    requestDigest,
    requestedBy: actor,
  });
  if (admission.admitted) await charge(tx, actor, admission.id);
  else await checkSameRequest(tx, admission.id, requestDigest);
  return { fresh: admission.admitted, invocationId: admission.id, action };
}

/** The key's budget first, then the workspace's month: the order in which a withdrawal gives both back. */
async function charge(tx: EnvironmentTransaction, actor: Actor, invocationId: string): Promise<void> {
  const budget = { apiKeyId: actor.id, kind: 'invocations', count: 1, invocationId } as const;
  // Sent together: the second is answered after the first.
  await Promise.all([
    actor.type === 'api_key' ? admitToBudget(tx, budget) : null,
    consumeAllowance(tx, 'executions', 1),
  ]);
}

/** Under a budget what was admitted is not answered as if it were new, once the reply of its key is gone. */
async function refuseOldReservation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  if (!(await hasOldReservation(tx, invocationId))) return;
  throw new ServiceError('BUDGET_EFFECT_ALREADY_RESERVED', { details: { invocationId } });
}

async function check(tx: EnvironmentTransaction, action: ActionRecord, request: InvokeRequest): Promise<void> {
  if (action.archivedAt !== null)
    throw new ServiceError('NOT_FOUND', { message: `Action ${action.name} is archived. Invoke a live one.` });
  checkInput(action, request.input);
  if (request.retryOf !== null) await checkRetry(tx, action, request.retryOf);
}

function checkInput(action: ActionRecord, input: JsonObject): void {
  const checked = compileSchema(action.definition.inputSchema).validate(input);
  if (checked.length > 0) throw validationError(checked.map(inBody));
  const descriptor = adapterDescriptor(action.definition.adapter.type, action.definition.adapter.version);
  const stand = newId('invocation'); // the real ids are given at admission; any will do to see whether the templates resolve
  const prepared = descriptor.prepare({
    definition: action.definition,
    input,
    identity: { invocationId: stand, effectId: stand, operationKey: stand },
  });
  if (prepared.kind === 'invalid') throw validationError(prepared.issues.map(inBody));
}

/** The caller knows its own body; what lies in the action's definition keeps its path there. */
function inBody(issue: Issue): Issue {
  return issue.path.startsWith('input') ? { ...issue, path: `body.${issue.path}` } : issue;
}

/** A second run under a new key is safe only where the first one is known to have ended without effect, or with one. */
async function checkRetry(tx: EnvironmentTransaction, action: ActionRecord, retryOf: string): Promise<void> {
  const earlier = await getInvocation(tx, retryOf);
  if (!earlier || earlier.actionId !== action.id) {
    throw validationError([{ path: 'body.retryOf', message: `no invocation of ${action.name} has this id` }]);
  }
  if (earlier.settledAt === null) {
    throw new ServiceError('CONFLICT', {
      message: `Invocation ${retryOf} is ${earlier.status}: what it did is not known yet. Reconcile or resolve it before you run it again.`,
    });
  }
}

async function checkSameRequest(
  tx: EnvironmentTransaction,
  invocationId: string,
  requestDigest: string,
): Promise<void> {
  const earlier: InvocationRecord | null = await getInvocation(tx, invocationId);
  if (earlier && earlier.requestDigest !== requestDigest) {
    throw new ServiceError('OPERATION_KEY_REUSE', { details: { invocationId } satisfies Record<string, Json> });
  }
  await refuseOldReservation(tx, invocationId);
}
