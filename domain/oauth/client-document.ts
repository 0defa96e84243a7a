import type { FetchedDocument } from '../openapi-import/source.ts';

/** Fetches an OAuth client's metadata through the egress guard. Look-ups take turns by network. */
export type FetchClientDocument = (url: string, network: string) => Promise<FetchedDocument>;
