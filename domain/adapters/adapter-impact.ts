import type { ActionDefinition, ImpactQuantity } from '../actions.ts';
import { declaredImpact, type DeclaredImpact, isSameKind } from '../impact.ts';
import type { JsonObject } from '../json.ts';
import { exactInput } from '../json-schema/exact-input.ts';
import type { AdapterDescriptor } from './adapter-descriptor.ts';

/** What an invocation uses up: the larger of the declaration and the adapter's figure, by dimension and currency. */
export function impactOf(
  descriptor: AdapterDescriptor,
  definition: ActionDefinition,
  input: JsonObject,
  inspected: JsonObject | null = null,
): DeclaredImpact {
  const declared = declaredImpact(definition.impact, exactInput(definition.inputSchema, input));
  if (!declared.ok || descriptor.impactOf === undefined) return declared;
  const own = descriptor.impactOf(definition, input, inspected);
  return own.ok ? { ok: true, quantities: atLeast(own.quantities, declared.quantities) } : own;
}

function atLeast(own: readonly ImpactQuantity[], declared: readonly ImpactQuantity[]): ImpactQuantity[] {
  const outdone = own.filter((floor) => {
    const total = declared
      .filter((quantity) => isSameKind(quantity, floor))
      .reduce((sum, { amount }) => sum + amount, 0);
    return total > floor.amount;
  });
  const floors = own.filter((floor) => !outdone.includes(floor));
  return [...floors, ...declared.filter((quantity) => !floors.some((floor) => isSameKind(quantity, floor)))];
}
