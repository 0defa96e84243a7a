import type { Allowance } from '../../db/impact-limits/allowances.ts';
import type { BoundPreview } from '../../db/invocations/records.ts';
import { bindInvocation, insertPreview } from '../../db/previews/changes.ts';
import { readBinding } from '../../db/previews/queries.ts';
import { newId } from '../../domain/ids.ts';
import { assemblePreview } from '../../domain/previews/assemble-preview.ts';
import type { Judging } from './read-facts.ts';

/**
 * Makes the preview that an approval binds to where the caller named none, in the transaction that parks the
 * invocation. `effectId`: of the effect that the same transaction creates later, null for a plain action.
 */
export async function makePreview(
  { tx, work, descriptor, effectId, prepared, observation, secretVersions }: Judging,
  { expiresAt, allowances }: { expiresAt: Date; allowances: Allowance[] },
): Promise<BoundPreview> {
  const facts = await readBinding(tx, work.id);
  const assembly = assemblePreview({
    descriptor,
    definition: work.definition,
    action: { id: facts.actionId, versionId: work.versionId },
    input: work.input,
    identity: { invocationId: work.id, effectId: effectId ?? work.id, operationKey: work.operationKey },
    rendered: prepared,
    scope: facts,
    secretVersions,
    policyRevision: facts.policyRevision,
    observation,
    expiresAt,
    relations: facts.relations,
  });
  if (assembly.kind !== 'ready') throw new Error(`invocation ${work.id} asks people about what cannot be previewed`);
  const { preview } = assembly;
  const id = newId('preview');
  await insertPreview(tx, {
    id,
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
  await bindInvocation(tx, work.id, id);
  return { id, madeBy: 'service', effectId, bindingDigest: preview.bindingDigest, expiresAt };
}
