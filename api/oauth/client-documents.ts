import { LRUCache } from 'lru-cache';
import type { FetchClientDocument } from '../../domain/oauth/client-document.ts';

/** A document that was fetched is read at once; one that is not read waits for the next one of its client. */
const UNREAD_MAX = 100;

export interface ClientDocumentsParts {
  fetchClientDocument: FetchClientDocument;
  /** The network that the request in hand came from. */
  networkOf: () => string;
  /** Whether it may have one more document fetched. */
  mayFetch: () => boolean;
}

/**
 * The metadata documents of OAuth clients. oidc-provider has whoever asks for a client wait for a fetch of it that is under way, whoever
 * began that: a network whose own turns hang could so fail everybody's. So each network's fetch is over before the provider begins its own,
 * which only reads what was fetched.
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
   * Before the provider reads a document that it has not kept. False where there is nothing to read: it failed, or the network may not have one
   * more fetched. The guard's answer says more than a stranger may learn of our network, so that the client learns only that it failed.
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
