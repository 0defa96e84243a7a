const KEPT = 'kept_';

/**
 * The classes in which the content and the attempts of a message of this class can be: their days are fewer than the message's, so they
 * may move to the kept class earlier or later than the message does.
 */
export function classesOf(retention: string): string[] {
  const named = retention.startsWith(KEPT) ? retention.slice(KEPT.length) : retention;
  return [named, KEPT + named];
}
