/** A description that was fetched, or why it was not, in words for the caller. */
export type FetchedDocument = { kind: 'fetched'; bytes: Uint8Array } | { kind: 'refused'; message: string };

/**
 * One GET through the egress guard, at most `DOCUMENT_BYTES_MAX`, no redirects. `workspaceId`: for the look-up's turn.
 */
export type FetchDocument = (url: string, workspaceId: string) => Promise<FetchedDocument>;
