const KEPT = 'kept_';

/**
 * The classes in which the content and the attempts of a message of this class can be: they go before the message, and so outlive
 * their range earlier or later than it does.
 */
export function classesOf(retention: string): string[] {
  const named = retention.startsWith(KEPT) ? retention.slice(KEPT.length) : retention;
  return [named, KEPT + named];
}
