import { LRUCache } from 'lru-cache';
import type { FetchClientDocument } from '../../domain/oauth/client-document.ts';

/** A fetched document is usually read at once; an unread one is kept for the next request of its client. */
const UNREAD_MAX = 100;

export interface ClientDocumentsParts {
  fetchClientDocument: FetchClientDocument;
  /** The network that the request in hand came from. */
  networkOf: () => string;
  /** Whether it may have one more document fetched. */
  mayFetch: () => boolean;
}

/**
 * The metadata documents of OAuth clients. oidc-provider shares one fetch in flight per client among all callers, so a network whose
 * fetches hang could fail everyone's. Therefore a document is fetched for each network before the provider begins its own fetch, which
 * only reads the result.
 */
export class ClientDocuments {
  private readonly parts: ClientDocumentsParts;
  private readonly unread = new LRUCache<string, Uint8Array>({ max: UNREAD_MAX });
  /** By network and address: those of one network that ask for the same document at once share a fetch. */
  private readonly underWay = new Map<string, Promise<Uint8Array | null>>();

  constructor(parts: ClientDocumentsParts) {
    this.parts = parts;
  }

  /**
   * Call it before the provider reads a document that it has not kept. False if there is nothing to read: the fetch failed, or the
   * network may not have one more document fetched. The guard's answer says more than a stranger may learn of our network, so the client
   * learns only that it failed.
   */
  async prepare(clientId: string): Promise<boolean> {
    if (!this.parts.mayFetch()) return false;
    const url = new URL(clientId).href;
    const key = `${this.parts.networkOf()} ${url}`;
    const fetching = this.underWay.get(key) ?? this.fetch(url).finally(() => this.underWay.delete(key));
    this.underWay.set(key, fetching);
    const bytes = await fetching;
    if (bytes !== null) this.unread.set(url, bytes);
    return bytes !== null;
  }

  /** What was prepared, or another address that a client's metadata names. */
  async read(url: string): Promise<Response> {
    const prepared = this.unread.get(url);
    this.unread.delete(url);
    const bytes = prepared ?? (this.parts.mayFetch() ? await this.fetch(url) : null);
    if (bytes === null) throw new Error('it was not fetched');
    return new Response(bytes.slice(), { status: 200, headers: { 'Content-Type': 'application/json' } });
  }

  private async fetch(url: string): Promise<Uint8Array | null> {
    const fetched = await this.parts.fetchClientDocument(url, this.parts.networkOf());
    return fetched.kind === 'fetched' ? fetched.bytes : null;
  }
}
