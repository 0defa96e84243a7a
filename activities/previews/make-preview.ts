import type { EnvironmentTransaction } from '../../db/client.ts';
import { allowancesOf } from '../../db/impact-limits/list-allowances.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { bindInvocation } from '../../db/previews/bind-invocation.ts';
import { insertPreview } from '../../db/previews/insert-preview.ts';
import { readBinding } from '../../db/previews/read-binding.ts';
import { readLatestObservation } from '../../db/previews/read-latest-observation.ts';
import { readSecretVersions } from '../../db/secrets/read-secret-versions.ts';
import type { Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { newId } from '../../domain/ids.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { assemblePreview } from '../../domain/previews/assemble-preview.ts';
import type { InvocationDependencies } from '../dependencies.ts';

export interface MadePreview {
  previewId: string;
  bindingDigest: string;
}

/** The part of an invocation that its preview needs. */
export type PreviewableWork = Pick<
  InvocationWork,
  'id' | 'operationKey' | 'input' | 'actionName' | 'versionId' | 'definition'
>;

/**
 * Makes the preview that an invocation's approval binds to, where the caller named none, and ties the invocation to it, in
 * the transaction that parks it. `effectId` is the id of the effect, which the same transaction creates later; null for a
 * plain action. `rendered` is the request that this transaction rendered for the effect. An invocation that would be refused
 * later is refused now, so that nobody is asked about it.
 */
export async function makePreview(
  deps: Pick<InvocationDependencies, 'adapterFor'>,
  tx: EnvironmentTransaction,
  work: PreviewableWork,
  { effectId, rendered, expiresAt }: { effectId: string | null; rendered: Preparation; expiresAt: Date },
): Promise<MadePreview | Refusal> {
  const { definition } = work;
  const { descriptor } = deps.adapterFor(definition.adapter);
  // Sent together, and answered in order.
  const [facts, observation, secretVersions] = await tx.inOrder(
    () => readBinding(tx, work.id),
    () => readLatestObservation(tx, work.id),
    () => readSecretVersions(tx, descriptor.secretNames(definition)),
  );
  if (observation?.refusal) return observation.refusal;
  const assembly = assemblePreview({
    descriptor,
    definition,
    action: { id: facts.actionId, versionId: work.versionId },
    input: work.input,
    identity: { invocationId: work.id, effectId: effectId ?? work.id, operationKey: work.operationKey },
    rendered,
    scope: facts,
    secretVersions,
    policyRevision: facts.policyRevision,
    observation,
    expiresAt,
    relations: facts.relations,
  });
  if (assembly.kind === 'refused') return assembly.refusal;
  if (assembly.kind === 'invalid') {
    // The admission rendered the same templates, so only a worker of another version can get here.
    throw new Error(`invocation ${work.id} was admitted with a request that does not render`);
  }
  const { preview } = assembly;
  const previewId = newId('preview');
  const allowances = await allowancesOf(tx, {
    impact: preview.binding.scope.impact,
    actionName: work.actionName,
    adapterType: descriptor.type,
    apiKeyId: facts.requestedBy.type === 'api_key' ? facts.requestedBy.id : null,
    agentId: facts.agentId,
    target: preview.binding.target,
  });
  await insertPreview(tx, {
    id: previewId,
    invocationId: work.id,
    effectId,
    operationKey: work.operationKey,
    input: work.input,
    runId: facts.runId,
    agentId: facts.agentId,
    relations: facts.relations,
    assembled: preview,
    allowances,
    evidenceObservedAt: observation?.observedAt ?? new Date(),
    expiresAt,
    supersedes: null,
    madeBy: 'service',
    createdBy: facts.requestedBy,
  });
  await bindInvocation(tx, work.id, previewId);
  return { previewId, bindingDigest: preview.bindingDigest };
}
