/** A member of a list's records is cut where its JSON is longer; `GET` of the one record has it whole. */
export const LISTED_MEMBER_BYTES_MAX = 4_096;

/** What stands in place of a member that was cut. It is made in SQL (migration 0022), so that nothing large is read. */
export interface Shortened {
  truncated: true;
  /** Of its JSON text. */
  bytes: number;
  /** How that begins. */
  preview: string;
}

/** A column of JSON, cut where it is large. */
export function shortenedColumn(column: string): string {
  return `shortened(${column}, ${LISTED_MEMBER_BYTES_MAX})`;
}
