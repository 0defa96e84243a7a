import type { ActionDefinition } from '../../domain/actions.ts';
import type { AdapterDescriptor, Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';

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
