import { isJsonObject } from '../../domain/json.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import type { HttpContext } from '../http/context.ts';

const EVENT_STREAM = 'text/event-stream';
/** The package wants clients to accept exactly this. */
const BOTH = `application/json, ${EVENT_STREAM}`;

/** `accept` is what the package sees. */
export interface AcceptedReply {
  accept: string;
  /** The reply is the one message, without progress. */
  isJsonOnly: boolean;
}

/**
 * The protocol has clients list both types. Many send any type, JSON alone or no Accept header, and get JSON. Only a client that takes no
 * JSON gets the package's 406.
 */
export function acceptedReply(ctx: HttpContext): AcceptedReply {
  const accept = ctx.get('Accept');
  if (ctx.accepts('application/json') === false) return { accept, isJsonOnly: false };
  const namesEvents = accept.split(',').some((range) => range.trim().toLowerCase().startsWith(EVENT_STREAM));
  return { accept: BOTH, isJsonOnly: !namesEvents || ctx.accepts(EVENT_STREAM) === false };
}

/** Turns a stream of events into JSON: its last message, which is the result or the error. Other replies pass unchanged. */
export async function inJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) return response;
  const messages = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const reply = messages.findLast((message) => {
    const parsed: unknown = JSON.parse(message);
    return isJsonObject(parsed) && ('result' in parsed || 'error' in parsed);
  });
  // Only a stream whose client left ends without a reply.
  if (reply === undefined) throw new RequestAbortedError();
  return new Response(reply, { status: response.status, headers: { 'Content-Type': 'application/json' } });
}
