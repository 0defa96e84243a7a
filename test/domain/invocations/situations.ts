import type { RefusalCode } from '../../../domain/refusals.ts';

/**
 * The table of situations: what may stand against an invocation, in the order of refusal, and what asks people after all of it.
 * Each way in which an invocation is judged is held to this table.
 */
export const AGAINST = {
  halted: 'environment_halted',
  archived: 'action_disabled',
  blocked: 'destination_blocked',
  unbounded: 'impact_unbounded',
  denied: 'policy_denied',
  secret: 'secret_missing',
  short: 'impact_limit_exceeded',
} as const satisfies Record<string, RefusalCode>;
const ASKING = ['asked', 'default'] as const;

export type Condition = keyof typeof AGAINST | (typeof ASKING)[number];
export const CONDITIONS: readonly Condition[] = [...(Object.keys(AGAINST) as (keyof typeof AGAINST)[]), ...ASKING];

/** A situation is the set of conditions that hold. */
export type Situation = readonly Condition[];

/** None, each one, every pair and every triple of the conditions. */
export function situations(conditions: readonly Condition[], most = 3): Situation[] {
  const of = (from: readonly Condition[], count: number): Situation[] =>
    count === 0 ? [[]] : from.flatMap((one, at) => of(from.slice(at + 1), count - 1).map((rest) => [one, ...rest]));
  return Array.from({ length: most + 1 }, (_, count) => of(conditions, count)).flat();
}

/** What the rule says of a situation: the code of its first condition that refuses, `ask_for_approval`, or `send`. */
export function ruled(situation: Situation): string {
  for (const [condition, code] of Object.entries(AGAINST)) if (situation.includes(condition as Condition)) return code;
  return ASKING.some((condition) => situation.includes(condition)) ? 'ask_for_approval' : 'send';
}

export const nameOf = (situation: Situation): string => (situation.length === 0 ? 'nothing' : situation.join('-'));

/** What to do where a way does not agree with the table. */
export const REMEDY =
  'each way must ask `judge` (domain/invocations/judgement.ts) with every fact that it can read; the order stands in RULES alone';
