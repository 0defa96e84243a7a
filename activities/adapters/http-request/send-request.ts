import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { Deadline } from '../../../domain/deadline.ts';
import type { EgressAllow } from '../../../domain/egress.ts';
import { dial } from './dial.ts';
import { type EgressMeter, exchange, type Exchanged, type ResponseLimit } from './exchange.ts';
import type { AttachedBytes } from './body-parts.ts';
import type { OwnEndpoints } from './own-endpoints.ts';
import { systemResolve, type Resolve } from './resolve.ts';

export interface SendOptions {
  egressAllow: EgressAllow;
  /** The service's own listeners, which are refused whatever `egressAllow` says. */
  ownEndpoints?: Pick<OwnEndpoints, 'include'>;
  /** Defaults to the operating system's resolver. */
  resolve?: Resolve;
  /** PEM certificates to trust in place of the built-in ones. */
  certificateAuthorities?: string[];
}

export type Sent =
  | Exchanged
  /** The egress guard refused it. */
  | { kind: 'blocked'; message: string };

export interface CallTrace {
  /** The address that was dialled; null until there is a connection. */
  address: string | null;
}

export interface SendLimits {
  /** Covers resolution, connection and response together. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Where the bytes are counted for the month's egress; left out for what does not count, such as a read. */
  egress?: EgressMeter;
  /** Needed where the request carries files. */
  attached?: AttachedBytes;
  trace?: CallTrace;
}

export type SendRequest = (request: PreparedRequest, limit: ResponseLimit, limits: SendLimits) => Promise<Sent>;

/** One connection, one request, through the egress guard. It follows no redirect and retries nothing. */
export async function sendRequest(
  options: SendOptions,
  request: PreparedRequest,
  limit: ResponseLimit,
  limits: SendLimits,
): Promise<Sent> {
  const url = new URL(request.url);
  using deadline = new Deadline(limits.timeoutMs, limits.signal);
  const { signal } = deadline;
  const dialled = await dial(url, { resolve: systemResolve, ...options, signal });
  if (dialled.kind === 'blocked') return dialled;
  if (dialled.kind === 'failed') return { kind: 'not_sent', reason: dialled.reason };
  if (limits.trace !== undefined) limits.trace.address = dialled.socket.remoteAddress ?? null;
  // Awaited here: the deadline is disposed of as soon as this function returns.
  return await exchange(dialled.socket, url, request, limit, { ...limits, signal });
}
