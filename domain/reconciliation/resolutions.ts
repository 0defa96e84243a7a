import type { ImpactQuantity } from '../actions.ts';
import type { Issue } from '../errors.ts';
import type { PartialEffect } from '../lifecycle.ts';

type StatedQuantity = Omit<ImpactQuantity, 'currency'> & { currency?: string | undefined };

/** A person's statement about an unknown outcome. The rules: docs/reconciliation.md, "Resolving". */
export interface ResolutionRequest {
  outcome: 'succeeded' | 'failed';
  partialEffect?: PartialEffect | undefined;
  settledImpact?: StatedQuantity[] | undefined;
}

/** `failed` after a possible partial effect must say what was left behind. Paths are relative to the body. */
export function partialEffectIssues(request: ResolutionRequest, known: PartialEffect): Issue[] {
  if (request.outcome !== 'failed' || request.partialEffect !== undefined || known !== 'possible') return [];
  const message = 'is needed: the effect may have happened in part. Say none, possible or confirmed';
  return [{ path: 'body.partialEffect', message }];
}

/** If no partial effect was possible, leaving the member out means that none was left behind. */
export function partialEffectOf(request: ResolutionRequest): PartialEffect {
  return request.partialEffect ?? 'none';
}

/** What the effect really used, if the person says it; else null. */
export function settledImpactOf({ settledImpact }: ResolutionRequest): ImpactQuantity[] | null {
  if (settledImpact === undefined) return null;
  return settledImpact.map(({ currency, ...rest }) => ({ ...rest, ...(currency === undefined ? {} : { currency }) }));
}

/** Each settled quantity must be declared, at most as large, and named once. Without an effect nothing was used. */
export function settledImpactIssues(request: ResolutionRequest, declared: readonly ImpactQuantity[]): Issue[] {
  const settled = request.settledImpact ?? [];
  const issues = settled.flatMap((quantity, index): Issue[] => {
    const at = `body.settledImpact[${index}]`;
    const whole = declared.filter((other) => kindOf(other) === kindOf(quantity));
    if (whole.length === 0) return [{ path: at, message: `the effect declares no ${kindOf(quantity)}` }];
    if (settled.findIndex((other) => kindOf(other) === kindOf(quantity)) !== index) {
      return [{ path: at, message: `says ${kindOf(quantity)} a second time` }];
    }
    const most = whole.reduce((sum, { amount }) => sum + amount, 0);
    if (quantity.amount > most) return [{ path: `${at}.amount`, message: `is above the ${most} that was declared` }];
    return [];
  });
  const usedSome = settled.some(({ amount }) => amount > 0);
  if (request.outcome === 'failed' && partialEffectOf(request) === 'none' && usedSome) {
    issues.push({
      path: 'body.settledImpact',
      message: 'is of an effect that failed without a partial effect; say partialEffect',
    });
  }
  return issues;
}

function kindOf({ dimension, currency }: StatedQuantity): string {
  return currency === undefined ? dimension : `${dimension} in ${currency}`;
}
