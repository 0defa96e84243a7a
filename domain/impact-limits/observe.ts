import type { ImpactDeclaration, ImpactQuantity } from '../actions.ts';
import { isSameKind, type SettledImpact } from '../impact.ts';
import { readPath } from '../json-path.ts';
import type { Json } from '../json.ts';
import { parseResponsePath } from '../response-path.ts';

export interface ObservedResponse {
  status: number;
  headers: Record<string, string>;
  body: Json;
}

export interface Observers {
  declarations: readonly ImpactDeclaration[];
  /** Null if the adapter reports nothing. */
  reported: SettledImpact | null;
}

/**
 * What an effect really used, by the response that accepted it: an `upper_bound` is lowered to the value at its
 * declaration's `observed` path, else to the adapter's report. A missing or larger value counts in full. A header
 * counts only as digits. Null where nothing observes, or without such a response.
 */
export function observedImpact(
  { declarations, reported }: Observers,
  impact: readonly ImpactQuantity[],
  response: ObservedResponse | null,
): SettledImpact | null {
  const observes = reported !== null || declarations.some(({ observed }) => observed !== undefined);
  if (response === null || !observes) return null;
  return impact.map((quantity) => {
    const ofKind = impact.filter((other) => isSameKind(other, quantity));
    const declared = declarations.filter((other) => isSameKind(other, quantity));
    // The quantities are in the order of the declarations. A different number of them does not belong to these declarations:
    // the adapter put its own floor in place of one.
    const declaration = declared.length === ofKind.length ? declared[ofKind.indexOf(quantity)] : undefined;
    const path = declaration?.observed?.path;
    const value = path === undefined ? reportedOf(quantity, ofKind.length, reported) : valueAt(path, response);
    return { ...quantity, amount: amountOf(quantity, value) };
  });
}

/** A report is of a dimension and currency as a whole. Where several quantities share these, it says nothing of any one. */
function reportedOf(quantity: ImpactQuantity, ofKind: number, reported: SettledImpact | null): unknown {
  const [only, ...others] = (reported ?? []).filter((candidate) => isSameKind(candidate, quantity));
  return ofKind === 1 && others.length === 0 ? only?.amount : undefined;
}

const DIGITS = /^\d{1,16}$/;

function valueAt(path: string, { status, headers, body }: ObservedResponse): unknown {
  const steps = parseResponsePath(path);
  const found = steps === null ? null : readPath({ status, headers, body }, steps);
  if (found?.found !== true) return undefined;
  const { value } = found;
  // A header is always text.
  return steps?.[0] === 'headers' && typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
}

function amountOf(quantity: ImpactQuantity, value: unknown): number {
  if (quantity.bound !== 'upper_bound') return quantity.amount;
  const isUsable = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
  return isUsable ? Math.min(value, quantity.amount) : quantity.amount;
}
