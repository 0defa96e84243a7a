import { getAction } from '../../db/actions/get-action.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import { readPolicyRevision } from '../../db/approval-policies/read-policy-revision.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { allowancesOf } from '../../db/impact-limits/list-allowances.ts';
import { findByOperationKey } from '../../db/invocations/find-by-operation-key.ts';
import { getPreview } from '../../db/previews/get-preview.ts';
import { insertPreview } from '../../db/previews/insert-preview.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import { requirePreviewRoom } from '../../db/previews/require-preview-room.ts';
import { readSecretVersions } from '../../db/secrets/read-secret-versions.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import type { AdapterDescriptor } from '../../domain/adapters/adapter-descriptor.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Refusal, refusalText } from '../../domain/refusals.ts';
import { type AssembledPreview, assemblePreview } from '../../domain/previews/assemble-preview.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { Actor } from '../http/define-route.ts';
import type { Credential } from '../http/identify.ts';
import { defaultLifetimeSeconds } from './default-lifetime.ts';
import type { PreviewRequest } from './preview-request.ts';
import type { InputAnswers } from '../json-schema/input-answers.ts';
import { takeInput } from '../actions/attach-files.ts';
import { inBody } from '../actions/check-input.ts';
import { checkRelations } from './check-relations.ts';
import { checkRun } from './check-run.ts';
import { missingAction } from '../http/missing.ts';

export interface Previewable {
  action: ActionRecord;
  /** With what its files are: the preview is bound to their content. */
  input: JsonObject;
  descriptor: AdapterDescriptor;
}

/**
 * Whether there is anything to preview: a live, governed action that takes this input, and an operation key that is free.
 *
 * @throws {ServiceError} NOT_FOUND, VALIDATION_ERROR, CONFLICT for a plain action, OPERATION_KEY_REUSE.
 */
export async function requirePreviewable(
  tx: EnvironmentTransaction,
  request: PreviewRequest,
  checks: { answers: InputAnswers; credential: Credential },
): Promise<Previewable> {
  const action = await getAction(tx, request.ref);
  if (!action) throw await missingAction(tx, request.ref);
  if (action.archivedAt !== null) {
    throw new ServiceError('NOT_FOUND', { message: `Action ${action.name} is archived. Preview a live one.` });
  }
  if (!action.definition.governed) {
    throw new ServiceError('CONFLICT', {
      message: `Action ${action.name} is not governed, and only a governed invocation has a preview. Invoke it, or give it impact, verify or governed: true.`,
    });
  }
  const { input } = await takeInput(tx, action, request.input, checks);
  await checkRelations(tx, action, request.relations);
  await checkRun(tx, request.runId);
  const earlier = request.operationKey === null ? null : await findByOperationKey(tx, request.operationKey);
  if (earlier) throw new ServiceError('OPERATION_KEY_REUSE', { details: { invocationId: earlier.id } });
  const { type, version } = action.definition.adapter;
  return { action, input, descriptor: adapterDescriptor(type, version) };
}

/** Puts a preview together from what is in force now, and keeps it. */
export async function composePreview(
  tx: EnvironmentTransaction,
  { action, descriptor }: Previewable,
  request: PreviewRequest,
  by: { tenant: Tenant; actor: Actor },
  observation: Observation | null,
): Promise<PreviewRecord> {
  if (observation?.refusal) throw wouldBeRefused(observation.refusal);
  const now = new Date();
  const lifetimeSeconds =
    request.expiresInSeconds ??
    (await defaultLifetimeSeconds(tx, { action, descriptor, request, actor: by.actor, observation, now }));
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
  const assembled = await assemble(tx, { action, descriptor }, request, by.tenant, { observation, expiresAt });
  const { impact } = assembled.binding.scope;
  const allowances = await allowancesOf(
    tx,
    {
      impact,
      actionName: action.name,
      adapterType: descriptor.type,
      apiKeyId: by.actor.type === 'api_key' ? by.actor.id : null,
      agentId: request.agentId,
      target: assembled.binding.target,
    },
    now,
  );
  const { id, invocationId, effectId, input, operationKey, runId, agentId, relations, supersedes } = request;
  await requirePreviewRoom(tx);
  await insertPreview(tx, {
    id,
    invocationId,
    effectId,
    input,
    operationKey,
    runId,
    agentId,
    relations,
    supersedes,
    assembled,
    allowances,
    evidenceObservedAt: observation?.observedAt ?? now,
    expiresAt,
    madeBy: 'caller',
    createdBy: by.actor,
  });
  const preview = await getPreview(tx, id);
  if (!preview) throw new Error(`preview ${id} was made and is gone`);
  return preview;
}

async function assemble(
  tx: EnvironmentTransaction,
  { action, descriptor }: Pick<Previewable, 'action' | 'descriptor'>,
  request: PreviewRequest,
  tenant: Tenant,
  { observation, expiresAt }: { observation: Observation | null; expiresAt: Date },
): Promise<AssembledPreview> {
  const { definition } = action;
  // Sent together, and answered in order.
  const [policies, secretVersions] = await Promise.all([
    readPolicyRevision(tx),
    readSecretVersions(tx, descriptor.secretNames(definition)),
  ]);
  const { invocationId, effectId, operationKey } = request;
  const assembly = assemblePreview({
    descriptor,
    definition,
    action: { id: action.id, versionId: action.currentVersion.id },
    input: request.input,
    identity: { invocationId, effectId, operationKey: operationKey ?? invocationId },
    scope: tenant,
    secretVersions,
    policyRevision: policies.revision,
    observation,
    expiresAt,
    relations: request.relations,
  });
  if (assembly.kind === 'invalid') throw validationError(assembly.issues.map(inBody));
  if (assembly.kind === 'refused') throw wouldBeRefused(assembly.refusal);
  return assembly.preview;
}

/** If an invocation would be refused, there is nothing to approve: the caller learns why, and what to mend. */
export function wouldBeRefused(refusal: Refusal): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `There is nothing to preview: an invocation would be refused now. ${refusalText(refusal)}`,
    details: { refusal },
  });
}
