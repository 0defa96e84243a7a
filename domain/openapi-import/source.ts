/** A description that was fetched, or why it was not, in words for the caller. */
export type FetchedDocument = { kind: 'fetched'; bytes: Uint8Array } | { kind: 'refused'; message: string };

/**
 * Fetches a description: one GET through the egress guard, at most `DOCUMENT_BYTES_MAX`, without following redirects. The wiring
 * hands it to the API, because only adapters make outbound calls.
 */
export type FetchDocument = (url: string) => Promise<FetchedDocument>;
