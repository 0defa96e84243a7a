import type { ImpactQuantity } from '../actions.ts';
import type { PreparedRequest } from '../adapters/adapter-descriptor.ts';
import { digestOf } from '../canonical-json.ts';
import type { Json, JsonObject } from '../json.ts';

/** What a preview shows, an approval agrees to and a dispatch sends (docs/previews.md, "What is bound"). */
export interface Binding {
  /** The shown form: a credential is `{{secret:NAME}}`. */
  request: PreparedRequest;
  target: JsonObject;
  versions: { actionId: string; actionVersionId: string; adapterType: string; adapterVersion: string };
  preconditions: Preconditions;
  scope: { workspaceId: string; environmentId: string; impact: ImpactQuantity[] };
  /** RFC 3339, milliseconds. After it nothing under this binding may be dispatched. */
  expiresAt: string;
}

/** What must still hold right before the reservation. */
export interface Preconditions {
  actionVersionId: string;
  /** If it has changed, the policies are evaluated again; only a stricter verdict breaks the binding. */
  policyRevision: number;
  /** The current version of each secret that the request carries, by name. A missing secret is 0. */
  secretVersions: Record<string, number>;
  /** What the adapter read from the provider; `{}` for an adapter that cannot. */
  adapter: JsonObject;
}

export function requestDigestOf(bound: Pick<Binding, 'request' | 'target'>): string {
  return digestOf({ request: bound.request as unknown as Json, target: bound.target });
}

export function bindingDigestOf(binding: Binding): string {
  return digestOf(binding as unknown as Json);
}
