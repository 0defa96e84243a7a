import { Stripe } from 'stripe';
import { STRIPE_API_VERSION } from '../../../domain/adapters/stripe-refund.ts';
import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { ProviderCall } from '../call-provider.ts';

/** The request that the SDK wants to send. Header names are in lower case. */
export interface HandedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** The outcome of the request, or why it was withheld: then nothing was sent. */
export type Carried = ProviderCall | { kind: 'withheld'; reason: string };

/** Maps the SDK's request to the request to send, or says why none is sent. */
export type Admit = (handed: HandedRequest) => PreparedRequest | { withheld: string };

type Carry = (request: PreparedRequest) => Promise<ProviderCall>;
type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>;
type HttpClientResponse = Awaited<ReturnType<HttpClient['makeRequest']>>;

const METHODS_WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH'];

/**
 * Carries one request of Stripe's SDK through the egress guard; `carried` holds what was seen. Withholds a second one:
 * the SDK resends after a broken connection even with retries off (`RequestSender._shouldRetry`).
 */
export class StripeTransport implements HttpClient {
  carried: Carried | null = null;
  private readonly admit: Admit;
  private readonly carry: Carry;

  constructor(admit: Admit, carry: Carry) {
    this.admit = admit;
    this.carry = carry;
  }

  getClientName(): string {
    return 'guarded';
  }

  /** Never throws synchronously, nor rejects with an error that has a code: the SDK would hang, or send again. */
  async makeRequest(
    host: string,
    port: string,
    path: string,
    method: string,
    headers: object,
    requestData: string,
    protocol: string,
  ): Promise<HttpClientResponse> {
    if (this.carried !== null) throw new Error('a second request of one call is not sent');
    const body = METHODS_WITH_BODY.includes(method) ? requestData : null;
    const url = new URL(`${protocol}://${host}:${port}${path}`).href;
    const admitted = this.admit({ method, url, headers: lowerCased(headers), body });
    // Taken before the first await, so that no second request can pass meanwhile.
    this.carried = { kind: 'no_answer', reason: 'the call broke off on our side' };
    if ('withheld' in admitted) {
      this.carried = { kind: 'withheld', reason: admitted.withheld };
      throw new Error('the request is withheld');
    }
    this.carried = await this.carry(admitted);
    if (this.carried.kind !== 'response') throw new Error('no response');
    return sdkResponse(this.carried.response.status, this.carried.response.body);
  }
}

/** The SDK reads headers for notices to print and for waits, so it gets none. It may change its own copy of the body. */
function sdkResponse(status: number, body: unknown): HttpClientResponse {
  return {
    getStatusCode: () => status,
    getHeaders: () => ({}),
    getRawResponse: () => ({}),
    toStream: () => {
      throw new Error('nothing is streamed here');
    },
    toJSON: async () => {
      if (!isJsonObject(body)) throw new Error('the body is no JSON object');
      return structuredClone(body);
    },
  };
}

function lowerCased(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** A client for one request. It keeps nothing, and sends only through the transport. */
export function stripeSdk(credential: string, transport: StripeTransport): Stripe {
  return new Stripe(credential, {
    apiVersion: STRIPE_API_VERSION,
    httpClient: transport,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** Headers that describe the SDK and the connection; the request's meaning does not depend on them. */
const INFORMATIONAL: readonly string[] = ['user-agent', 'x-stripe-client-user-agent', 'content-length'];

/** Passes the approved request, if the SDK makes the same one of its parameters. */
export function onlyAgreed(agreed: PreparedRequest): Admit {
  return (handed) => {
    const agreedHeaders = lowerCased(agreed.headers);
    const differing = [
      ...(handed.method === agreed.method ? [] : ['the method']),
      ...(handed.url === new URL(agreed.url).href ? [] : ['the URL']),
      ...(handed.body === agreed.body ? [] : ['the body']),
      ...[...new Set([...Object.keys(handed.headers), ...Object.keys(agreedHeaders)])].filter(
        (name) => !INFORMATIONAL.includes(name) && handed.headers[name] !== agreedHeaders[name],
      ),
    ];
    if (differing.length === 0) return agreed;
    return { withheld: `what Stripe's SDK would send differs from what was agreed to in ${differing.join(', ')}` };
  };
}

const READ_HEADERS: readonly string[] = ['accept', 'authorization', 'stripe-version'];

export function onlyReads(userAgent: string): Admit {
  return ({ method, url, headers }) => {
    if (method !== 'GET') return { withheld: `a read is no ${method}` };
    const kept = Object.entries(headers).filter(([name]) => READ_HEADERS.includes(name));
    return {
      method,
      url,
      headers: { ...Object.fromEntries(kept), 'user-agent': userAgent },
      body: null,
      bodyEncoding: 'utf8',
    };
  };
}
