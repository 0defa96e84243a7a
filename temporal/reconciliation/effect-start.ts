import type { EffectRef } from '../../domain/refs.ts';
import { searchAttributes, type SearchAttributeValues } from '../search-attributes.ts';

/** The ids alone: what else a caller's object carries does not belong in a history. */
export function effectRefOf({ invocationId, workspaceId, environmentId, effectId, actionName }: EffectRef): EffectRef {
  return { invocationId, workspaceId, environmentId, effectId, actionName };
}

/** What the workflows of an effect are found by. */
export function effectAttributes(ref: EffectRef, state: Pick<SearchAttributeValues, 'stage' | 'grade'>) {
  return searchAttributes({ ...effectRefOf(ref), ...state });
}
