import type { InvocationWork } from '../../db/invocations/records.ts';
import type { BindingRecord, StoredPreview } from '../../db/previews/queries.ts';
import type { AdapterDescriptor, Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { type Binding, bindingDigestOf, requestDigestOf } from '../../domain/previews/binding.ts';
import { canonicalJson, digestOf } from '../../domain/canonical-json.ts';
import type { Json } from '../../domain/json.ts';
import { assembleBinding } from '../../domain/previews/assemble-preview.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { replacedSecret } from '../../domain/secret-refusals.ts';

export type BoundWork = Pick<
  InvocationWork,
  'id' | 'effectId' | 'operationKey' | 'input' | 'actionName' | 'versionId' | 'currentVersionId' | 'definition'
>;

export interface InForce {
  descriptor: AdapterDescriptor;
  prepared: Preparation;
  record: BindingRecord;
  observation: Observation | null;
  secretVersions: Readonly<Record<string, number>>;
  now: Date;
}

/**
 * Why what would be sent now is no longer what was previewed and approved. The binding is recomputed from what is in force now:
 * the immutable version and the input rendered again, the current secrets, the last observation of the provider, and the
 * declared impact. It must equal the preview, the effect and the approval. The stored fields of the preview and the effect must
 * still hash to the approved digest, too. Returns null when nothing differs or nothing is bound.
 */
export function bindingRefusal(
  work: BoundWork,
  { descriptor, prepared, record, observation, secretVersions, now }: InForce,
): Refusal | null {
  const { preview } = record;
  if (preview === null) return null;
  if (work.currentVersionId !== preview.versionId) {
    const message = `action ${work.actionName} has a newer version than the one that was previewed`;
    const details = { versionId: preview.versionId, currentVersionId: work.currentVersionId };
    return { code: 'action_version_changed', message, details };
  }
  if (preview.madeBy === 'caller' && preview.expiresAt <= now) {
    const message = `preview ${preview.id} expired at ${preview.expiresAt.toISOString()}`;
    const details = { previewId: preview.id, expiresAt: preview.expiresAt.toISOString() };
    return { code: 'preview_expired', message, details };
  }
  const changed =
    replacedSecret(preview.preconditions.secretVersions, secretVersions, 'the preview') ??
    (descriptor.inspects ? changedAtProvider(preview, observation) : null);
  if (changed) return changed;
  const bound = assembleBinding({
    descriptor,
    definition: work.definition,
    action: { id: record.actionId, versionId: work.versionId },
    input: work.input,
    identity: { invocationId: work.id, effectId: work.effectId ?? work.id, operationKey: work.operationKey },
    rendered: prepared,
    scope: record,
    secretVersions,
    policyRevision: preview.preconditions.policyRevision,
    observation: descriptor.inspects ? observation : null,
    expiresAt: preview.expiresAt,
  });
  if (bound.kind === 'refused') return bound.refusal;
  const differing = bound.kind === 'invalid' ? 'request' : differingPart(bound.binding, preview, record);
  if (differing === null) return null;
  const message = `the ${differing} would differ from what preview ${preview.id} shows`;
  return { code: 'digest_mismatch', message, details: { previewId: preview.id } };
}

/** A value that cannot be read again cannot be checked. */
function changedAtProvider(preview: StoredPreview, observation: Observation | null): Refusal | null {
  if (observation === null) {
    return { code: 'precondition_changed', message: 'the provider was not read again before the dispatch' };
  }
  if (observation.refusal) return observation.refusal;
  const bound = preview.preconditions.adapter;
  const names = new Set([...Object.keys(bound), ...Object.keys(observation.preconditions)]);
  const changed = [...names].filter((name) => !isSame(bound[name], observation.preconditions[name])).sort();
  if (changed.length === 0) return null;
  const message = `the provider's record changed after the preview (${changed.join(', ')})`.slice(0, 500);
  return { code: 'precondition_changed', message, details: { previewId: preview.id } };
}

function isSame(left: Json | undefined, right: Json | undefined): boolean {
  return left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right);
}

/** The first part that differs from what was approved, or null. Every digest and every stored copy is compared. */
function differingPart(now: Binding, preview: StoredPreview, { effect, approvalDigest }: BindingRecord): string | null {
  const stored: Binding = {
    request: preview.request,
    target: preview.target,
    versions: {
      actionId: preview.actionId,
      actionVersionId: preview.versionId,
      adapterType: preview.adapterType,
      adapterVersion: preview.adapterVersion,
    },
    preconditions: preview.preconditions,
    scope: { ...now.scope, impact: preview.impact },
    expiresAt: preview.expiresAt.toISOString(),
  };
  const parts = ['request', 'target', 'versions', 'preconditions', 'scope', 'expiresAt'] as const;
  for (const part of parts) {
    if (digestOf(now[part] as unknown as Json) !== digestOf(stored[part] as unknown as Json)) return NAMES[part];
  }
  const digest = bindingDigestOf(now);
  if (preview.bindingDigest !== digest || preview.requestDigest !== requestDigestOf(now)) return 'digest';
  if (approvalDigest !== null && approvalDigest !== digest) return 'digest that was agreed to';
  if (effect === null) return null;
  if (effect.bindingDigest !== digest) return "effect's digest";
  if (requestDigestOf(effect) !== preview.requestDigest) return "effect's request";
  return digestOf(effect.impact as unknown as Json) === digestOf(now.scope.impact as unknown as Json)
    ? null
    : "effect's impact";
}

const NAMES: Record<keyof Binding, string> = {
  request: 'request',
  target: 'target',
  versions: 'versions',
  preconditions: 'preconditions',
  scope: 'impact',
  expiresAt: 'expiry',
};
