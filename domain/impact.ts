import { z } from 'zod';
import type { ImpactDeclaration, ImpactQuantity } from './actions.ts';
import { parsePath, readPath } from './json-path.ts';
import type { ExactObject } from './json.ts';
import { countText, moneyText } from './money.ts';
import type { Refusal } from './refusals.ts';
import { parseResponsePath } from './response-path.ts';

const DECLARATIONS_MAX = 20;
export const DIMENSION_PATTERN = /^[a-z][a-z0-9_]{0,31}$/;
export const DIMENSION_TEXT = 'lower case letters, digits and _, at most 32';
export const CURRENCY_PATTERN = /^[a-z]{3}$/;
export const CURRENCY_TEXT = 'three lower case letters, such as usd';
const MONEY = 'money';

/** What a governed action says that it uses. The members: docs/actions.md, "The definition". */
export const impactDeclarationSchema = z
  .strictObject({
    dimension: z.string().regex(DIMENSION_PATTERN, `must be ${DIMENSION_TEXT}`),
    currency: z.string().regex(CURRENCY_PATTERN, `must be ${CURRENCY_TEXT}`).optional(),
    amount: z.union([
      z.strictObject({ path: z.string().min(1).max(512) }),
      z.strictObject({ const: z.int().min(0).max(Number.MAX_SAFE_INTEGER) }),
    ]),
    bound: z.enum(['exact', 'upper_bound']),
    observed: z.strictObject({ path: z.string().min(1).max(512) }).optional(),
  })
  .superRefine((declaration, context) => {
    if (declaration.dimension === MONEY && declaration.currency === undefined) {
      context.addIssue({ code: 'custom', path: ['currency'], message: 'is needed for money' });
    }
    if (declaration.dimension !== MONEY && declaration.currency !== undefined) {
      context.addIssue({ code: 'custom', path: ['currency'], message: 'is for the dimension money only' });
    }
    if ('path' in declaration.amount && parsePath(declaration.amount.path)?.[0] !== 'input') {
      context.addIssue({ code: 'custom', path: ['amount', 'path'], message: 'must be a path such as input.amount' });
    }
    if (declaration.observed !== undefined) checkObserved(declaration.bound, declaration.observed.path, context);
  })
  .meta({ id: 'ImpactDeclarationInput' });

function checkObserved(bound: ImpactDeclaration['bound'], path: string, context: z.RefinementCtx): void {
  if (bound !== 'upper_bound') {
    context.addIssue({ code: 'custom', path: ['observed'], message: 'is for the bound upper_bound only' });
  }
  if (parseResponsePath(path) === null) {
    const message = 'must be a path into status, headers or body, such as body.charged';
    context.addIssue({ code: 'custom', path: ['observed', 'path'], message });
  }
}

export const impactDeclarationsSchema = z.array(impactDeclarationSchema).max(DECLARATIONS_MAX);

/** One quantity, as requests name it and replies show it. See docs/impact-limits.md. */
export const impactQuantitySchema = z
  .strictObject({
    dimension: z.string().regex(DIMENSION_PATTERN, `must be ${DIMENSION_TEXT}`),
    currency: z.string().regex(CURRENCY_PATTERN, `must be ${CURRENCY_TEXT}`).optional(),
    amount: z.int().min(0).describe('Minor units for money, a count otherwise.'),
    bound: z.enum(['exact', 'upper_bound']),
  })
  .meta({ id: 'ImpactQuantity' });

export type DeclaredImpact = { ok: true; quantities: ImpactQuantity[] } | { ok: false; refusal: Refusal };

/** Minor units, or a count. A missing, negative, fractional or inexact amount is refused: `impact_unbounded`. */
export function declaredImpact(declarations: readonly ImpactDeclaration[], input: ExactObject): DeclaredImpact {
  const quantities: ImpactQuantity[] = [];
  for (const { dimension, currency, amount, bound } of declarations) {
    const taken = amountOf(amount, input);
    if (typeof taken === 'string') {
      const message = `the impact in ${dimension} has no bound: ${taken}`;
      const issues = 'path' in amount ? { issues: [{ path: amount.path, message: taken }] } : {};
      return { ok: false, refusal: { code: 'impact_unbounded', message, details: issues } };
    }
    quantities.push({ dimension, ...(currency === undefined ? {} : { currency }), amount: taken, bound });
  }
  return { ok: true, quantities };
}

function amountOf(amount: ImpactDeclaration['amount'], input: ExactObject): number | string {
  if ('const' in amount) return checked(amount.const, 'the constant');
  const steps = parsePath(amount.path);
  if (steps === null) return `${amount.path} is not a path`;
  const found = readPath({ input }, steps);
  return found.found ? checked(found.value, amount.path) : `${amount.path} is missing`;
}

function checked(value: unknown, what: string): number | string {
  if (typeof value === 'bigint') return `${what} is ${value < 0n ? 'negative' : 'too large to be exact'}`;
  if (typeof value !== 'number') return `${what} is not a number`;
  if (value < 0 || Object.is(value, -0)) return `${what} is negative`;
  if (!Number.isInteger(value)) return `${what} is not a whole number`;
  if (!Number.isSafeInteger(value)) return `${what} is too large to be exact`;
  return value;
}

/** The known part of what an effect really used. */
export type SettledImpact = readonly Pick<ImpactQuantity, 'dimension' | 'currency' | 'amount'>[];

type Kind = Pick<ImpactQuantity, 'dimension' | 'currency'>;

/** Whether two quantities are of one dimension and currency, so that their amounts compare. */
export function isSameKind(left: Kind, right: Kind): boolean {
  return left.dimension === right.dimension && left.currency === right.currency;
}

const QUANTITIES_SHOWN = 5;

/** "moving 600.00 USD and using up to 3 emails" */
export function impactText(impact: readonly ImpactQuantity[]): string {
  const texts = impact.slice(0, QUANTITIES_SHOWN).map(quantityText);
  if (impact.length > QUANTITIES_SHOWN) texts.push(`${impact.length - QUANTITIES_SHOWN} more`);
  const last = texts.pop();
  if (last === undefined) return '';
  return texts.length === 0 ? last : `${texts.join(', ')} and ${last}`;
}

type ShownQuantity = Omit<ImpactQuantity, 'currency'> & { currency?: string | undefined };

/** "moving 600.00 USD", "using at most 3 emails" */
export function quantityText({ dimension, currency, amount, bound }: ShownQuantity): string {
  const atMost = bound === 'upper_bound' ? 'at most ' : '';
  if (currency !== undefined) return `moving ${atMost}${moneyText(amount, currency)}`;
  return `using ${atMost}${countText(amount)} ${dimension.replaceAll('_', ' ')}`;
}
