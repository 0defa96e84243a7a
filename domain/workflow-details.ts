import { REFUSED_STATUSES, refusalEntry } from './refusals.ts';
import type { InvocationState } from './refs.ts';

/** The number of effects that the details name. */
const NAMED_MAX = 10;

/** For the Temporal UI: status, code, the table's sentence. Nothing of an input, a response or a note. */
export function standingOf({ status, grade, stage, effectId, refusal }: InvocationState): string {
  const word = status.toUpperCase();
  const isRead = stage === 'reconciling' && effectId !== null;
  const isExplained = refusal !== undefined && (REFUSED_STATUSES as readonly string[]).includes(status);
  if (!isExplained && !isRead) return `${word} (${grade})`;
  const stands = isExplained ? refusalEntry(refusal).meaning : 'Its provider still processes it.';
  return `${word} (${isExplained ? refusal : grade}): ${stands}${isRead ? ` Reads go on in reconcile/${effectId}.` : ''}`;
}

export function waitsForEffects(effectIds: readonly string[]): string {
  const named = effectIds.slice(0, NAMED_MAX).join(', ');
  const more = effectIds.length - NAMED_MAX;
  return `WAITS for the effects that it depends on: ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
