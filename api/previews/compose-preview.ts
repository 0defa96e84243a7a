import { findArchivedKey } from '../../db/archive/archived-keys.ts';
import { getAction } from '../../db/actions/queries.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { findByOperationKey } from '../../db/invocations/queries.ts';
import { getPreview } from '../../db/previews/queries.ts';
import { insertPreview, requirePreviewRoom } from '../../db/previews/changes.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import type { AdapterDescriptor, RequestIdentity } from '../../domain/adapters/adapter-descriptor.ts';
import { longestExpirySeconds } from '../../domain/approval-policies/longest-expiry.ts';
import { ServiceError } from '../../domain/errors.ts';
import { judge, type Judgement } from '../../domain/invocations/judgement.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Refusal, refusalText } from '../../domain/refusals.ts';
import { type AssembledPreview, assemblePreview } from '../../domain/previews/assemble-preview.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { Actor } from '../http/define-route.ts';
import type { Credential } from '../http/rights.ts';
import type { PreviewRequest } from './preview-request.ts';
import type { InputAnswers } from '../json-schema/input-answers.ts';
import { takeInput } from '../actions/attach-files.ts';
import { type FactsNow, readFactsNow, requireLive } from './facts-now.ts';
import { checkRelations } from './check-relations.ts';
import { checkRun } from './check-run.ts';
import { missingAction } from '../http/failures.ts';

export interface Previewable {
  action: ActionRecord;
  /** Holds its files' facts: the preview is bound to their content. */
  input: JsonObject;
  descriptor: AdapterDescriptor;
}

/**
 * Requires a live, governed action that accepts this input, and a free operation key.
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
  await requireLive(tx, action, 'Preview');
  if (!action.definition.governed) {
    throw new ServiceError('CONFLICT', {
      message: `Action ${action.name} is not governed, and only a governed invocation has a preview. Invoke it, or give it impact, verify or governed: true.`,
    });
  }
  const { input } = await takeInput(tx, action, request.input, checks);
  await checkRelations(tx, action, request.relations);
  await checkRun(tx, request.runId);
  if (request.operationKey !== null) await refuseUsedKey(tx, request.operationKey);
  const { type, version } = action.definition.adapter;
  return { action, input, descriptor: adapterDescriptor(type, version) };
}

async function refuseUsedKey(tx: EnvironmentTransaction, operationKey: string): Promise<void> {
  const [earlier, archived] = await tx.inOrder(
    () => findByOperationKey(tx, operationKey),
    () => findArchivedKey(tx, operationKey),
  );
  const invocationId = earlier?.id ?? archived?.invocationId;
  if (invocationId !== undefined) throw new ServiceError('OPERATION_KEY_REUSE', { details: { invocationId } });
}

/**
 * Judges the invocation by the present facts. @throws {ServiceError} CONFLICT with the refusal when it would be refused: nothing is left to
 * approve.
 */
export async function judgePreviewed(
  tx: EnvironmentTransaction,
  { action, descriptor }: Previewable,
  request: PreviewRequest,
  { actor, observation, now }: { actor: Actor; observation: Observation | null; now: Date },
): Promise<FactsNow & { judgement: Exclude<Judgement, { next: 'refuse' }> }> {
  const { input, agentId, runId, relations } = request;
  const asked = { action, descriptor, input, actor, agentId, runId, dependsOn: relations.dependsOn, observation };
  const known = await readFactsNow(tx, { ...asked, identity: identityOf(request) }, now);
  const judgement = judge(known.facts);
  if (judgement.next === 'refuse') throw wouldBeRefused(judgement.refusal);
  return { ...known, judgement };
}

function identityOf({ invocationId, effectId, operationKey }: PreviewRequest): RequestIdentity {
  return { invocationId, effectId, operationKey: operationKey ?? invocationId };
}

export async function composePreview(
  tx: EnvironmentTransaction,
  previewable: Previewable,
  request: PreviewRequest,
  by: { tenant: Tenant; actor: Actor },
  observation: Observation | null,
): Promise<PreviewRecord> {
  const now = new Date();
  const known = await judgePreviewed(tx, previewable, request, { actor: by.actor, observation, now });
  const lifetimeSeconds = request.expiresInSeconds ?? defaultLifetimeSeconds(request, known);
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
  const assembled = assemble(previewable, request, by.tenant, { known, observation, expiresAt });
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
    allowances: known.limits.allowances,
    evidenceObservedAt: observation?.observedAt ?? now,
    expiresAt,
    madeBy: 'caller',
    createdBy: by.actor,
  });
  const preview = await getPreview(tx, id);
  if (!preview) throw new Error(`preview ${id} was made and is gone`);
  return preview;
}

/**
 * Default lifetime of a preview: when people would be asked, the longest `expiresIn` of the asking rules, because the approval ends with
 * its preview. Rules allow up to 30 days, more than a request may ask for.
 */
function defaultLifetimeSeconds({ leastSeconds }: PreviewRequest, { facts, policies }: FactsNow): number {
  const asked = facts.verdict === null ? null : longestExpirySeconds(policies.set, facts.verdict);
  return Math.max(leastSeconds, asked ?? 0);
}

function assemble(
  { action, descriptor }: Previewable,
  request: PreviewRequest,
  tenant: Tenant,
  { known, observation, expiresAt }: { known: FactsNow; observation: Observation | null; expiresAt: Date },
): AssembledPreview {
  const assembly = assemblePreview({
    descriptor,
    definition: action.definition,
    action: { id: action.id, versionId: action.currentVersion.id },
    input: request.input,
    identity: identityOf(request),
    rendered: known.prepared,
    scope: tenant,
    secretVersions: known.secretVersions,
    policyRevision: known.policies.revision,
    observation,
    expiresAt,
    relations: request.relations,
  });
  if (assembly.kind !== 'ready') throw new Error(`preview ${request.id} was judged, and cannot be put together`);
  return assembly.preview;
}

export function wouldBeRefused(refusal: Refusal): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `There is nothing to preview: an invocation would be refused now. ${refusalText(refusal)}`,
    details: { refusal },
  });
}
