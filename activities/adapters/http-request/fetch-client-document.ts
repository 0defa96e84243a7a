import { FairSlots } from '../../../domain/fair-slots.ts';
import type { FetchClientDocument } from '../../../domain/oauth/client-document.ts';
import { createDocumentFetcher, type FetchOptions } from './fetch-document.ts';
import { systemResolve } from './resolve.ts';

/** Soon given up, and small: a stranger names it. */
const CLIENT_DOCUMENT = { timeoutMs: 5_000, bytesMax: 5_120 };
/** The owner of all these fetches where workspaces take turns: together they have the share of one. */
const OWNER = 'oauth-clients';
/** Each network is bounded in what it may have fetched, and each wait by its deadline. */
const UNDER_WAY_MAX = 100_000;

/** Each network has one look-up at a time, until the look-up itself ends: its hanging names block only itself. */
export function createClientDocumentFetcher(options: FetchOptions): FetchClientDocument {
  const resolve = options.resolve ?? systemResolve;
  const turns = new FairSlots({
    slots: UNDER_WAY_MAX,
    slotsAnOwnerMax: 1,
    waitingMax: UNDER_WAY_MAX,
    waitingAnOwnerMax: UNDER_WAY_MAX,
    waitMsMax: options.timeoutMs ?? CLIENT_DOCUMENT.timeoutMs,
  });
  return (url, network) => {
    const inTurn: typeof resolve = (hostname, signal) => turns.run(network, () => resolve(hostname, signal), signal);
    return createDocumentFetcher({ ...CLIENT_DOCUMENT, ...options, resolve: inTurn })(url, OWNER);
  };
}
