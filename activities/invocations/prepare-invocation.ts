import type { ActionDefinition } from '../../domain/actions.ts';
import type { AdapterDescriptor, Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { digestOf } from '../../domain/canonical-json.ts';
import type { Json, JsonObject } from '../../domain/json.ts';

export interface Preparable {
  id: string;
  effectId: string | null;
  operationKey: string;
  input: JsonObject;
  definition: ActionDefinition;
}

/**
 * Makes an invocation's request from its immutable version and input. Without `secrets` it is the form that is shown, stored
 * and digested; with them, the one that is sent. Both come from here, so that they cannot differ in anything else.
 */
export function prepareInvocation(
  descriptor: AdapterDescriptor,
  invocation: Preparable,
  secrets?: ReadonlyMap<string, string>,
): Preparation {
  return descriptor.prepare({
    definition: invocation.definition,
    input: invocation.input,
    identity: {
      invocationId: invocation.id,
      effectId: invocation.effectId ?? invocation.id,
      operationKey: invocation.operationKey,
    },
    ...(secrets ? { secrets } : {}),
  });
}

/** Digest over the shown form of a request and its target: what an effect is bound to. */
export function requestDigestOf(
  preparation: Pick<Extract<Preparation, { kind: 'ready' }>, 'request' | 'target'>,
): string {
  return digestOf({ request: preparation.request as unknown as Json, target: preparation.target });
}
