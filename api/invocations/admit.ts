import { getAction } from '../../db/actions/queries.ts';
import { admitToBudget, hasOldReservation } from '../../db/budgets/admission.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { admitInvocation } from '../../db/invocations/admission.ts';
import { holdFiles } from '../../db/files/files.ts';
import { findByOperationKey, getInvocation, readAdmittedInput } from '../../db/invocations/queries.ts';
import { findArchivedKey } from '../../db/archive/archived-keys.ts';
import type { InvocationRecord } from '../../db/invocations/records.ts';
import { lockPreview } from '../../db/previews/changes.ts';
import { consumeAllowance, refuseUsedUp } from '../../db/plans/allowances.ts';
import { digestOf } from '../../domain/canonical-json.ts';
import { usedByArchived } from '../../domain/archive/archived-key.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { Actor } from '../http/define-route.ts';
import type { Credential } from '../http/rights.ts';
import type { InputAnswers } from '../json-schema/input-answers.ts';
import { asAdmittedBefore, takeInput, type TakenInput } from '../actions/attach-files.ts';
import { checkPreview } from './check-preview.ts';
import { checkRelations } from '../previews/check-relations.ts';
import { checkRun } from '../previews/check-run.ts';
import { requireLive } from '../previews/facts-now.ts';
import { missingAction } from '../http/failures.ts';

export interface InvokeRequest {
  ref: string;
  input: JsonObject;
  operationKey: string | null;
  /** Default of the operation key. */
  idempotencyKey: string | null;
  previewId: string | null;
  dependsOn: string[];
  compensates: string | null;
  retryOf: string | null;
  runId: string | null;
  agentId: string | null;
  actor: Actor;
  /** OAuth grant of the app that asks for the actor. Null without one. */
  connectedAppId: string | null;
  /** Decides which files may be attached. */
  credential: Credential;
}

/** The request with its own id; a repeated one has another. */
export type Identified<Request> = Request & { requestId: string };

export interface Admitted {
  /** True for a new invocation, whose workflow must start; false for the earlier one of this operation key. */
  fresh: boolean;
  invocationId: string;
  action: ActionRecord;
}

/**
 * Checks an invocation against its action and admits it. The caller's mistakes are refused before anything is written: unknown action 404,
 * unfitting input 400, used operation key 409, unusable or different preview 409, exhausted allowance 429.
 */
export async function admit(
  tx: EnvironmentTransaction,
  request: Identified<InvokeRequest>,
  answers: InputAnswers,
): Promise<Admitted> {
  const { action, preview } = await readNamed(tx, request);
  const {
    ref: _ref,
    operationKey: named,
    idempotencyKey,
    previewId,
    dependsOn,
    compensates,
    actor,
    requestId,
    credential: _credential,
    connectedAppId,
    ...rest
  } = request;
  const operationKey = named ?? preview?.operationKey ?? idempotencyKey;
  const asked = {
    ...rest,
    ...(previewId === null ? {} : { previewId }),
    // Omitted when empty, so that older requests keep their digest.
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...(compensates === null ? {} : { compensates }),
  };
  // Over the admitted input, and so over its files' content.
  const digestWith = (input: JsonObject): string => digestOf({ actionId: action.id, ...asked, input });
  let taken: TakenInput;
  try {
    taken = await check(tx, action, request, answers);
    if (preview) checkPreview(preview, action, { ...request, input: taken.input, operationKey });
  } catch (error) {
    if (operationKey === null || !(error instanceof ServiceError)) throw error;
    const digestAsBefore = (admitted: JsonObject) => digestWith(asAdmittedBefore(action, request.input, admitted));
    const earlierId = await findEarlier(tx, operationKey, digestAsBefore);
    if (earlierId === null) throw error;
    return { fresh: false, invocationId: earlierId, action };
  }
  const requestDigest = digestWith(taken.input);
  const holdsFiles = taken.fileIds.length > 0;
  const admission = await admitInvocation(tx, {
    ...rest,
    input: taken.input,
    holdsFiles,
    requestId,
    dependsOn,
    compensates,
    preview,
    actionId: action.id,
    versionId: action.currentVersion.id,
    operationKey,
    requestDigest,
    requestedBy: actor,
    connectedAppId,
  });
  if (admission.admitted && holdsFiles && !(await holdFiles(tx, admission.id, taken.fileIds))) {
    throw new ServiceError('CONFLICT', {
      message: 'A file of the input was deleted meanwhile. Upload it again, and name the new one.',
    });
  }
  if (admission.admitted) await charge(tx, actor, admission.id);
  else await checkSameRequest(tx, admission.id, requestDigest);
  return { fresh: admission.admitted, invocationId: admission.id, action };
}

/**
 * The earlier invocation of the same request; null without one. Later changes of the action or a file do not affect an admitted request: its
 * reply is on record. @throws {ServiceError} where it is archived.
 */
async function findEarlier(
  tx: EnvironmentTransaction,
  operationKey: string,
  digestAsBefore: (admitted: JsonObject) => string,
): Promise<string | null> {
  const earlier = await findByOperationKey(tx, operationKey);
  if (earlier === null) {
    const archived = await findArchivedKey(tx, operationKey);
    if (archived?.requestDigest !== digestAsBefore({})) return null;
    throw usedByArchived(archived, archived.requestDigest);
  }
  const admitted = await readAdmittedInput(tx, earlier.id);
  if (earlier.requestDigest !== digestAsBefore(admitted ?? {})) return null;
  await refuseOldReservation(tx, earlier.id);
  return earlier.id;
}

type Preview = Awaited<ReturnType<typeof lockPreview>>;

async function readNamed(
  tx: EnvironmentTransaction,
  { ref, previewId }: InvokeRequest,
): Promise<{ action: ActionRecord; preview: Preview }> {
  const action = await getAction(tx, ref);
  if (!action) throw await missingAction(tx, ref);
  const preview = previewId === null ? null : await lockPreview(tx, previewId);
  if (previewId !== null && preview === null) throw notFound('preview');
  return { action, preview };
}

/** The key's budget first, then the workspace's month: the order in which a withdrawal returns both. */
async function charge(tx: EnvironmentTransaction, actor: Actor, invocationId: string): Promise<void> {
  const budget = { apiKeyId: actor.id, kind: 'invocations', count: 1, invocationId } as const;
  await tx.inOrder(
    actor.type === 'api_key' ? () => admitToBudget(tx, budget) : null,
    () => refuseUsedUp(tx, 'egress'),
    () => consumeAllowance(tx, 'executions', 1),
  );
}

/** Under a budget, an earlier admission is not answered like a new one once its stored reply is gone. */
async function refuseOldReservation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  if (!(await hasOldReservation(tx, invocationId))) return;
  throw new ServiceError('BUDGET_EFFECT_ALREADY_RESERVED', { details: { invocationId } });
}

async function check(
  tx: EnvironmentTransaction,
  action: ActionRecord,
  request: InvokeRequest,
  answers: InputAnswers,
): Promise<TakenInput> {
  await requireLive(tx, action, 'Invoke');
  const taken = await takeInput(tx, action, request.input, { answers, credential: request.credential });
  await checkRelations(tx, action, request);
  await checkRun(tx, request.runId);
  return taken;
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
