import type { FetchedDocument } from '../openapi-import/source.ts';

/**
 * Fetches the metadata document of an OAuth client through the egress guard. The look-up of its name takes turns by the network that a
 * request came from.
 */
export type FetchClientDocument = (url: string, network: string) => Promise<FetchedDocument>;
