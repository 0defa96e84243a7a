import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { fenceOfCall } from '../watchdog.ts';
import { type AttachedBytes, bytesOfParts, type Sending, sendParts } from './body-parts.ts';
import { asError, describeError } from './dial.ts';

export interface RawResponse {
  status: number;
  /** Lower-case names; several values of one name joined by a comma. */
  headers: [string, string][];
  body: Buffer;
}

export type Exchanged =
  | { kind: 'response'; response: RawResponse }
  | { kind: 'no_answer'; reason: string }
  /** The call's fence was closed. Provably no byte of the request was sent. */
  | { kind: 'not_sent'; reason: string };

export interface ResponseLimit {
  bytesMax: number;
  /** `no_answer`: it proves nothing. `cut`: the part that was read counts. */
  larger: 'no_answer' | 'cut';
}

/** Counts the bytes of the bodies on a connection: the request's once it is sent, the response's as it is read. */
export interface EgressMeter {
  bytes: number;
}

const METHODS_WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH'];

/**
 * Sends one request and reads its response to the end. No redirects. Bytes may have left: every failure is `no_answer`, unless the
 * call's fence was closed before the first byte.
 */
export async function exchange(
  socket: Socket,
  url: URL,
  request: PreparedRequest,
  limit: ResponseLimit,
  { signal, egress = { bytes: 0 }, attached }: { signal: AbortSignal; egress?: EgressMeter; attached?: AttachedBytes },
): Promise<Exchanged> {
  let seen: IncomingMessage | null = null;
  let outgoing: ClientRequest | null = null;
  const gate = new Gate();
  const abort = (): void => {
    socket.destroy(asError(signal.reason));
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    if (socket.destroyed) throw new Error('the connection broke before the request');
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing = open(socket, url, request);
      outgoing.once('response', resolve);
      // Never removed: a target may answer and close before it has read the whole body.
      outgoing.on('error', reject);
      outgoing.once('close', () => reject(new Error('the connection was closed without a response')));
      // Not before the request has its connection: from there on a write goes to the kernel at once.
      outgoing.once('socket', () => {
        if (outgoing !== null) write(outgoing, request, { egress, attached, gate });
      });
    });
    seen = incoming;
    const body = await readBody(incoming, limit, egress);
    if (body === null) {
      return {
        kind: 'no_answer',
        reason: `${answered(incoming)}, and the response is larger than ${limit.bytesMax} bytes`,
      };
    }
    return { kind: 'response', response: { status: incoming.statusCode ?? 0, headers: headersOf(incoming), body } };
  } catch (error) {
    if (error instanceof ClosedFence && !gate.hasPassed) return { kind: 'not_sent', reason: error.message };
    const why = signal.aborted ? describeError(signal.reason) : describeError(error);
    return { kind: 'no_answer', reason: seen === null ? why : `${answered(seen)}, and the response broke off: ${why}` };
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** The call was claimed, and its fence closed. */
class ClosedFence extends Error {}

/** Passed by each write of a request. A fence that closes later keeps the rest of the body back. */
class Gate {
  hasPassed = false;
  private readonly fence = fenceOfCall();

  /** @throws ClosedFence */
  pass(): void {
    const why = this.fence?.closedBy() ?? null;
    if (why !== null) throw new ClosedFence(why);
    this.hasPassed = true;
  }
}

function write(
  outgoing: ClientRequest,
  request: PreparedRequest,
  sending: Omit<Sending, 'beforeWrite'> & { gate: Gate },
): void {
  const { egress, attached, gate } = sending;
  const beforeWrite = (): void => gate.pass();
  if (request.bodyParts !== undefined) return sendParts(outgoing, request.bodyParts, { egress, attached, beforeWrite });
  const body = bodyOf(request);
  try {
    beforeWrite();
  } catch (error) {
    outgoing.destroy(asError(error));
    return;
  }
  egress.bytes += body?.byteLength ?? 0;
  outgoing.end(body);
}

function open(socket: Socket, url: URL, request: PreparedRequest): ClientRequest {
  const headers: OutgoingHttpHeaders = { ...request.headers, host: url.host, 'accept-encoding': 'identity' };
  const bytes = request.bodyParts === undefined ? bodyOf(request)?.byteLength : bytesOfParts(request.bodyParts);
  if (bytes !== undefined) headers['content-length'] = bytes;
  else if (METHODS_WITH_BODY.includes(request.method)) headers['content-length'] = 0;
  const options: RequestOptions = {
    method: request.method,
    path: `${url.pathname}${url.search}`,
    host: url.hostname,
    headers,
    setHost: false,
    // No agent: the connection was made for this request, and serves no other.
    createConnection: () => socket,
  };
  return url.protocol === 'https:' ? requestHttps(options) : requestHttp(options);
}

function bodyOf({ body, bodyEncoding }: PreparedRequest): Buffer | null {
  return body === null ? null : Buffer.from(body, bodyEncoding);
}

/** The body up to the limit. Null where it is larger and therefore proves nothing. Throws where it breaks off early. */
async function readBody(
  incoming: IncomingMessage,
  { bytesMax, larger }: ResponseLimit,
  egress: EgressMeter,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const piece = chunk as Buffer;
    bytes += piece.byteLength;
    egress.bytes += piece.byteLength;
    chunks.push(piece);
    if (bytes > bytesMax) return larger === 'cut' ? Buffer.concat(chunks).subarray(0, bytesMax) : null;
  }
  if (!incoming.complete) throw new Error('the connection was closed before the end');
  return Buffer.concat(chunks);
}

function headersOf(incoming: IncomingMessage): [string, string][] {
  return Object.entries(incoming.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]);
}

function answered(incoming: IncomingMessage): string {
  return `the target answered ${incoming.statusCode ?? 'without a status'}`;
}
