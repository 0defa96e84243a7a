import type { PreparedRequest, ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import type { Judged } from '../../domain/adapters/judged.ts';
import type { DispatchResult } from './adapter.ts';
import { providerIdsOf, readResponse } from './http-request/read-response.ts';
import { redactText } from './http-request/redaction.ts';
import { sendRequest, type SendLimits, type SendOptions } from './http-request/send-request.ts';

export interface ProviderOptions extends SendOptions {
  /** The base URL of the provider: its own origin, or a proxy or a fake in its place, with an optional path. */
  baseUrl: string;
}

/** The outcome of one request to a provider, credentials removed. */
export type ProviderCall =
  /** The egress guard refused it. Nothing was sent. */
  | { kind: 'blocked'; reason: string }
  /** Provably no byte of the request was sent. */
  | { kind: 'not_sent'; reason: string }
  /** Something was or may have been sent, and no usable answer came. */
  | { kind: 'no_answer'; reason: string }
  /** `unreadable` says why a response that was read to the end still proves nothing; null where it can be judged. */
  | { kind: 'response'; response: ProviderResponse; unreadable: string | null };

/** Replies of the built-in providers are a few kilobytes; a page of a listing is a few hundred. */
export const PROVIDER_BYTES_MAX = 4 * 1024 * 1024;

/** Sends one request through the egress guard. It follows no redirect and retries nothing. */
export async function callProvider(
  options: ProviderOptions,
  request: PreparedRequest,
  secrets: ReadonlyMap<string, string>,
  limits: SendLimits,
): Promise<ProviderCall> {
  const placed = { ...request, url: placeUrl(request.url, options.baseUrl) };
  const sent = await sendRequest(options, placed, { bytesMax: PROVIDER_BYTES_MAX, larger: 'no_answer' }, limits);
  switch (sent.kind) {
    case 'blocked':
      return { kind: 'blocked', reason: redactText(sent.message, secrets.values()) };
    case 'not_sent':
    case 'no_answer':
      return { kind: sent.kind, reason: redactText(sent.reason, secrets.values()) };
    case 'response':
      return { kind: 'response', ...(await readResponse(sent.response, secrets.values())) };
  }
}

/** The approved request names the provider's own address. The installation's configuration decides where that is reached. */
function placeUrl(url: string, baseUrl: string): string {
  const { pathname, search } = new URL(url);
  return `${baseUrl.replace(/\/+$/, '')}${pathname}${search}`;
}

/** The result of a dispatch. `judge` sees only responses that could be read. */
export function dispatchResult(
  provider: string,
  called: ProviderCall,
  judge: (response: ProviderResponse) => Judged,
): DispatchResult {
  switch (called.kind) {
    case 'blocked':
      return { kind: 'refused', refusal: { code: 'destination_blocked', message: called.reason } };
    case 'not_sent':
    case 'no_answer':
      return called;
    case 'response': {
      const { response, unreadable } = called;
      const providerIds = providerIdsOf(response);
      if (unreadable !== null) {
        const summary = `${provider} answered ${response.status}, and ${unreadable}`;
        const nothing = { outcome: 'unknown', partialEffect: 'possible', providerReference: null } as const;
        return { kind: 'answered', ...nothing, summary, providerIds, response };
      }
      const judged = judge(response);
      return { kind: 'answered', ...judged, providerIds: { ...providerIds, ...judged.providerIds }, response };
    }
  }
}
