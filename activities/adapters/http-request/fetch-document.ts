import { isIP } from 'node:net';
import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { isBlocked, type EgressAllow } from '../../../domain/egress.ts';
import { DOCUMENT_BYTES_MAX } from '../../../domain/openapi-import/limits.ts';
import type { FetchDocument, FetchedDocument } from '../../../domain/openapi-import/source.ts';
import { USER_AGENT } from '../../../domain/product.ts';
import { systemResolve, type Resolve } from './resolve.ts';
import { OverdueError, type Watchdog } from '../watchdog.ts';
import { sendRequest, type SendOptions } from './send-request.ts';

const FETCH_TIMEOUT_MS = 20_000;

export interface FetchOptions extends SendOptions {
  watchdog: Pick<Watchdog, 'run'>;
  timeoutMs?: number;
  bytesMax?: number;
}

/** With the egress guard of dispatches. Plain http only by EGRESS_ALLOW: a description decides where credentials go. */
export function createDocumentFetcher({
  watchdog,
  timeoutMs = FETCH_TIMEOUT_MS,
  bytesMax = DOCUMENT_BYTES_MAX,
  ...options
}: FetchOptions): FetchDocument {
  return async (text, workspaceId) => {
    const url = new URL(text);
    const resolve = options.resolve ?? systemResolve;
    const guarded = url.protocol === 'https:' ? resolve : onlyListed(resolve, options.egressAllow);
    if (url.protocol !== 'https:' && !isListedLiteral(url, options.egressAllow)) {
      return { kind: 'refused', message: 'must begin with https://' };
    }
    const sending = { ...options, resolve: guarded };
    const watched = { kind: 'import_fetch', workspaceId, ids: { host: url.host }, timeoutMs } as const;
    try {
      const sent = await watchdog.run(watched, (signal) =>
        sendRequest(sending, readOf(url), { bytesMax, larger: 'no_answer' }, { timeoutMs, signal }),
      );
      return fetchedOf(sent);
    } catch (error) {
      if (error instanceof OverdueError) return { kind: 'refused', message: `was not fetched: ${error.message}` };
      throw error;
    }
  };
}

function readOf(url: URL): PreparedRequest {
  const headers = {
    Accept: 'application/json, application/yaml, text/yaml, */*;q=0.5',
    'User-Agent': USER_AGENT,
  };
  return { method: 'GET', url: url.href, headers, body: null, bodyEncoding: 'utf8' };
}

function fetchedOf(sent: Awaited<ReturnType<typeof sendRequest>>): FetchedDocument {
  if (sent.kind === 'blocked') return { kind: 'refused', message: `was not fetched: ${sent.message}` };
  if (sent.kind !== 'response') return { kind: 'refused', message: `was not fetched: ${sent.reason}` };
  const { status, headers, body } = sent.response;
  if (status !== 200) {
    const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    return { kind: 'refused', message: `answered ${status}${redirected}` };
  }
  const encoding = headers.find(([name]) => name === 'content-encoding')?.[1];
  if (encoding !== undefined && encoding !== 'identity') {
    return { kind: 'refused', message: `answered with the encoding ${encoding.slice(0, 50)}, which was not asked for` };
  }
  return { kind: 'fetched', bytes: body };
}

const NOTHING_LISTED: EgressAllow = [];

function isException(address: string, allow: EgressAllow): boolean {
  return isBlocked(address, NOTHING_LISTED) && !isBlocked(address, allow);
}

/** An address in the URL itself is never resolved. */
function isListedLiteral(url: URL, allow: EgressAllow): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isException(host, allow);
}

function onlyListed(resolve: Resolve, allow: EgressAllow): Resolve {
  return async (hostname, signal) => {
    const addresses = await resolve(hostname, signal);
    if (addresses.every(({ address }) => isException(address, allow))) return addresses;
    throw new Error('only https:// leads to it');
  };
}
