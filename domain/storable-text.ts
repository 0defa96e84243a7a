const LONE_SURROGATE = /\p{Surrogate}/u;

export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** Why PostgreSQL cannot hold a text, in neither `text` nor `jsonb`; null where it can. */
export function storageFault(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character, which cannot be stored';
  if (!isWellFormed(text)) return 'contains half of a surrogate pair, which is not valid Unicode';
  return null;
}

/** Whether PostgreSQL can hold every text of a value, whose depth the caller has bounded. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return storageFault(value) === null;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
