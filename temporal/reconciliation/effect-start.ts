import type { EffectRef, EffectToRead } from '../../domain/refs.ts';
import { searchAttributes, type SearchAttributeValues } from '../search-attributes.ts';

/** Picks the ids only: other fields of a caller's object do not belong in a history. */
export function effectRefOf({ invocationId, workspaceId, environmentId, effectId, actionName }: EffectRef): EffectRef {
  return { invocationId, workspaceId, environmentId, effectId, actionName };
}

export function effectAttributes(ref: EffectToRead, state: Pick<SearchAttributeValues, 'environment' | 'stage'>) {
  return searchAttributes({ ...effectRefOf(ref), grade: ref.grade, ...state });
}
