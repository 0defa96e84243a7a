import { isWellFormed } from './template-rendering.ts';

/** Whether PostgreSQL can hold the texts of a value: a NUL and half of a surrogate pair are in no `text` and no `jsonb`. */
export function isStorable(value: unknown): boolean {
  // A list instead of calls of itself: what strangers send may be nested deeper than the stack.
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    if (typeof next === 'string' && (next.includes('\0') || !isWellFormed(next))) return false;
    if (typeof next === 'object' && next !== null) waiting.push(...Object.keys(next), ...Object.values(next));
  }
  return true;
}
