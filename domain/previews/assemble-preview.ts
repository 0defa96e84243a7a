import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import { impactOf } from '../adapters/adapter-impact.ts';
import type { AdapterDescriptor, Preparation, RequestIdentity } from '../adapters/adapter-descriptor.ts';
import { type Binding, bindingDigestOf, requestDigestOf } from './binding.ts';
import type { Issue } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusals.ts';
import type { Relations } from '../relations.ts';
import type { Observation } from './observation.ts';
import type { PreviewBlock } from '../adapters/preview-block.ts';
import { previewBlocks } from './preview-blocks.ts';

/** The source of a preview. The same source gives the same digests, so that a preview can be made again and compared. */
export interface PreviewSource {
  descriptor: AdapterDescriptor;
  definition: ActionDefinition;
  action: { id: string; versionId: string };
  input: JsonObject;
  identity: RequestIdentity;
  /** The request of this definition, input and identity, if the same transaction has rendered it already. */
  rendered?: Preparation;
  scope: { workspaceId: string; environmentId: string };
  /** The current version of every secret that the definition names (`descriptor.secretNames`). Missing or 0: no such secret. */
  secretVersions: Readonly<Record<string, number>>;
  policyRevision: number;
  observation: Pick<Observation, 'preconditions' | 'blocks' | 'observedAt'> | null;
  expiresAt: Date;
  /** Shown beside the request, but not part of it. */
  relations?: Relations;
}

export interface AssembledPreview {
  binding: Binding;
  requestDigest: string;
  bindingDigest: string;
  capabilities: AdapterCapabilities;
  blocks: PreviewBlock[];
}

export type Assembly<Ready> =
  | ({ kind: 'ready' } & Ready)
  /** A template that does not resolve: the caller's mistake. */
  | { kind: 'invalid'; issues: Issue[] }
  /** An invocation would be refused, so that there is nothing to approve. */
  | { kind: 'refused'; refusal: Refusal };

/** A preview, complete but for its ids: what is bound, its digests, and what a person reads. */
export function assemblePreview(source: PreviewSource): Assembly<{ preview: AssembledPreview }> {
  const bound = assembleBinding(source);
  if (bound.kind !== 'ready') return bound;
  const { binding } = bound;
  const capabilities = source.descriptor.capabilitiesFor(source.definition);
  return {
    kind: 'ready',
    preview: {
      binding,
      requestDigest: requestDigestOf(binding),
      bindingDigest: bindingDigestOf(binding),
      capabilities,
      blocks: previewBlocks(source, binding, capabilities),
    },
  };
}

/** The binding. A deleted secret has version 0, which differs from every bound version. */
export function assembleBinding(source: PreviewSource): Assembly<{ binding: Binding }> {
  const { descriptor, definition, action, input, identity, scope, observation } = source;
  const prepared = source.rendered ?? descriptor.prepare({ definition, input, identity });
  if (prepared.kind === 'invalid') return prepared;
  if (prepared.kind === 'refused') return { kind: 'refused', refusal: prepared.refusal };
  const impact = impactOf(descriptor, definition, input, observation?.preconditions ?? null);
  if (!impact.ok) return { kind: 'refused', refusal: impact.refusal };
  const binding: Binding = {
    request: prepared.request,
    target: prepared.target,
    versions: {
      actionId: action.id,
      actionVersionId: action.versionId,
      adapterType: descriptor.type,
      adapterVersion: descriptor.version,
    },
    preconditions: {
      actionVersionId: action.versionId,
      policyRevision: source.policyRevision,
      secretVersions: Object.fromEntries(
        prepared.secretNames.map((name): [string, number] => [name, source.secretVersions[name] ?? 0]),
      ),
      adapter: observation?.preconditions ?? {},
    },
    scope: { workspaceId: scope.workspaceId, environmentId: scope.environmentId, impact: impact.quantities },
    expiresAt: source.expiresAt.toISOString(),
  };
  return { kind: 'ready', binding };
}
