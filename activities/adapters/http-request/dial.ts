import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { OwnEndpoints } from './own-endpoints.ts';
import type { Resolve, ResolvedAddress } from './resolve.ts';
import { watchSocket } from '../watchdog.ts';
import { type EgressAllow, isBlocked } from '../../../domain/egress.ts';
import { portOf } from '../../../domain/own-endpoints.ts';

export interface DialOptions {
  egressAllow: EgressAllow;
  /** Refused whatever `egressAllow` says. */
  ownEndpoints?: Pick<OwnEndpoints, 'include'>;
  resolve: Resolve;
  certificateAuthorities?: string[];
  signal: AbortSignal;
}

/** A connection that is ready for the request, or the reason why there is none. Without a connection nothing was sent. */
export type Dialled =
  { kind: 'connected'; socket: Socket } | { kind: 'blocked'; message: string } | { kind: 'failed'; reason: string };

/**
 * Opens a new connection to the host of a URL. The name is resolved once and only checked addresses are dialled, so
 * that a second answer that differs (DNS rebinding) cannot matter. Returns after the TLS handshake and before the
 * request: a failure here proves that nothing was sent.
 */
export async function dial(url: URL, options: DialOptions): Promise<Dialled> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  let addresses: ResolvedAddress[];
  try {
    const family = isIP(hostname);
    addresses =
      family > 0
        ? [{ address: hostname, family }]
        : await abortable(options.resolve(hostname, options.signal), options.signal);
  } catch (error) {
    return { kind: 'failed', reason: `the name ${hostname} was not resolved: ${describeError(error)}` };
  }
  if (addresses.length === 0) return { kind: 'failed', reason: `the name ${hostname} has no address` };
  const blocked = addresses.find(({ address }) => isBlocked(address, options.egressAllow));
  if (blocked !== undefined) {
    const how = blocked.address === hostname ? '' : ` (${hostname})`;
    return { kind: 'blocked', message: `${blocked.address}${how} is in a range that this service does not call` };
  }
  try {
    const dialled = addresses.map(({ address }) => address);
    const own = options.ownEndpoints?.include(hostname, dialled, portOf(url));
    if (own !== undefined && (await abortable(own, options.signal))) {
      return { kind: 'blocked', message: `${url.host} is one of this service's own addresses, which it does not call` };
    }
    return { kind: 'connected', socket: await connect(url, hostname, addresses, options) };
  } catch (error) {
    return { kind: 'failed', reason: `no connection to ${url.host}: ${describeError(error)}` };
  }
}

function connect(url: URL, hostname: string, addresses: ResolvedAddress[], options: DialOptions): Promise<Socket> {
  const { certificateAuthorities: ca, signal } = options;
  const secure = url.protocol === 'https:';
  const answer: LookupFunction = (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const base = { host: hostname, port: portOf(url), lookup: answer };
    const socket = secure
      ? connectTls({
          ...base,
          // Set explicitly, so that no environment variable can turn the verification off.
          rejectUnauthorized: true,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
          ...(ca === undefined ? {} : { ca }),
        })
      : connectTcp(base);
    const abort = (): void => {
      socket.destroy(asError(signal.reason));
    };
    watchSocket(socket);
    signal.addEventListener('abort', abort, { once: true });
    // Never removed: a connection that breaks before the request must not end the process.
    socket.on('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new Error('the connection was closed before it was ready'));
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', abort);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** Rejects as soon as the signal aborts. The promise's later result is ignored. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(asError(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

const DESCRIPTION_LENGTH_MAX = 300;

export const TIMED_OUT = 'the time-out was reached';

/** An error as text, with its code. Several failed connection attempts arrive as one error that holds them all. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors
      .map((inner) => describeError(inner))
      .join('; ')
      .slice(0, DESCRIPTION_LENGTH_MAX);
  }
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'TimeoutError') return TIMED_OUT;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const text = code === null || error.message.includes(code) ? error.message : `${error.message} (${code})`;
  return text.slice(0, DESCRIPTION_LENGTH_MAX);
}
