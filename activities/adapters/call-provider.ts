import type { PreparedRequest, ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import type { Judged } from '../../domain/adapters/judged.ts';
import type { DispatchResult } from './adapter.ts';
import { providerIdsOf, readResponse } from './http-request/read-response.ts';
import type { Redactor } from './http-request/redaction.ts';
import { sendRequest, type SendLimits, type SendOptions } from './http-request/send-request.ts';

export interface ProviderOptions extends SendOptions {
  /** Where the provider is reached: its own origin, or a proxy or a fake in its place, with a path if need be. */
  baseUrl: string;
}

/** What came of one request to a provider, credentials removed. */
export type ProviderCall =
  /** The egress guard does not let it through. Nothing was sent. */
  | { kind: 'blocked'; reason: string }
  /** Provably not a byte of the request left. */
  | { kind: 'not_sent'; reason: string }
  /** Something was or may have been sent, and no usable answer came. */
  | { kind: 'no_answer'; reason: string }
  /** `unreadable` says why it proves nothing although it was read to the end; null where it can be judged. */
  | { kind: 'response'; response: ProviderResponse; unreadable: string | null };

/** The replies of the providers that are built in are a few kilobytes; a page of a listing some hundred. */
export const PROVIDER_BYTES_MAX = 4 * 1024 * 1024;

/** One request through the egress guard. Nothing is followed and nothing is tried again. */
export async function callProvider(
  options: ProviderOptions,
  request: PreparedRequest,
  redactor: Redactor,
  limits: SendLimits,
): Promise<ProviderCall> {
  const placed = { ...request, url: placeUrl(request.url, options.baseUrl) };
  const sent = await sendRequest(options, placed, { bytesMax: PROVIDER_BYTES_MAX, larger: 'no_answer' }, limits);
  switch (sent.kind) {
    case 'blocked':
      return { kind: 'blocked', reason: redactor.text(sent.message) };
    case 'not_sent':
    case 'no_answer':
      return { kind: sent.kind, reason: redactor.text(sent.reason) };
    case 'response':
      return { kind: 'response', ...readResponse(sent.response, redactor) };
  }
}

/** The request is agreed to with the provider's own address; where that is reached is the installation's matter. */
function placeUrl(url: string, baseUrl: string): string {
  const { pathname, search } = new URL(url);
  return `${baseUrl.replace(/\/+$/, '')}${pathname}${search}`;
}

/** The result of a dispatch: `judge` is asked about what could be read, and about nothing else. */
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
