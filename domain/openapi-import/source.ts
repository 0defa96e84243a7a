/** A description that was fetched, or why it was not, in words for the caller. */
export type FetchedDocument = { kind: 'fetched'; bytes: Uint8Array } | { kind: 'refused'; message: string };

/**
 * Fetches a description: one GET through the egress guard, at most `DOCUMENT_BYTES_MAX`, without following redirects. The wiring
 * hands it to the API, because only adapters make outbound calls. The workspace is the one that the look-up of the name counts for.
 */
export type FetchDocument = (url: string, workspaceId: string) => Promise<FetchedDocument>;
