/** A description that was fetched, or why it was not, in words for the caller. */
export type FetchedDocument = { kind: 'fetched'; bytes: Uint8Array } | { kind: 'refused'; message: string };

/**
 * Fetches a description: one GET through the egress guard, of at most `DOCUMENT_BYTES_MAX`, following nothing. Handed to the
 * API by the wiring, because only adapters touch the world.
 */
export type FetchDocument = (url: string) => Promise<FetchedDocument>;
