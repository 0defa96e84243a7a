const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID as PostgreSQL writes it: in lower case, with hyphens. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The UUID that a caller wrote, in whichever case. Returns null when the text is no UUID. */
export function uuidOf(text: string | undefined): string | null {
  const lower = text?.toLowerCase() ?? '';
  return isUuid(lower) ? lower : null;
}
