import type { ImpactDeclaration, ImpactQuantity } from '../actions.ts';
import { parsePath, readPath } from '../json-path.ts';
import type { Json } from '../json.ts';
import type { SettledImpact } from './settle.ts';

/** The provider's response to the request that succeeded, as the attempt keeps it. */
export interface ObservedResponse {
  status: number;
  headers: Record<string, string>;
  body: Json;
}

/**
 * How much an effect really used, read from the response that accepted it. An `upper_bound` is lowered to the value at the path
 * that its declaration names in `observed`. If that value is missing, unusable or above the declared amount, the quantity counts
 * in full. Null if no declaration names a path, or there is no such response.
 *
 * A quantity that the adapter put in place of a declaration (its own floor) counts in full too.
 */
export function observedImpact(
  declarations: readonly ImpactDeclaration[],
  impact: readonly ImpactQuantity[],
  response: ObservedResponse | null,
): SettledImpact | null {
  if (response === null || declarations.every(({ observed }) => observed === undefined)) return null;
  return impact.map((quantity) => {
    const ofKind = impact.filter((other) => isSameKind(other, quantity));
    const declared = declarations.filter((other) => isSameKind(other, quantity));
    // The quantities are in the order of the declarations. A different number of them does not belong to these declarations.
    const declaration = declared.length === ofKind.length ? declared[ofKind.indexOf(quantity)] : undefined;
    return { ...quantity, amount: amountOf(quantity, declaration, response) };
  });
}

function amountOf(
  quantity: ImpactQuantity,
  declaration: ImpactDeclaration | undefined,
  response: ObservedResponse,
): number {
  if (quantity.bound !== 'upper_bound' || declaration?.observed === undefined) return quantity.amount;
  const { status, headers, body } = response;
  const steps = parsePath(declaration.observed.path);
  const found = steps === null ? null : readPath({ status, headers, body }, steps);
  const value = found?.found === true ? found.value : null;
  const isUsable = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
  return isUsable ? Math.min(value, quantity.amount) : quantity.amount;
}

function isSameKind(
  left: Pick<ImpactQuantity, 'dimension' | 'currency'>,
  right: Pick<ImpactQuantity, 'dimension' | 'currency'>,
): boolean {
  return left.dimension === right.dimension && left.currency === right.currency;
}
