import { isJsonObject } from '../../domain/json.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import type { HttpContext } from '../http/context.ts';

const EVENT_STREAM = 'text/event-stream';
/** What the package asks every client to accept, literally. */
const BOTH = `application/json, ${EVENT_STREAM}`;

/** How a client takes its reply. `accept` is what the package is told. */
export interface AcceptedReply {
  accept: string;
  /** The client takes JSON and names no event stream: the reply is the one message, without progress. */
  isJsonOnly: boolean;
}

/**
 * The protocol has clients list both types. Many that want one reply send any type, JSON alone, or no Accept header at all, and are answered in
 * JSON. Only a client that takes no JSON gets the package's 406.
 */
export function acceptedReply(ctx: HttpContext): AcceptedReply {
  const accept = ctx.get('Accept');
  if (ctx.accepts('application/json') === false) return { accept, isJsonOnly: false };
  const namesEvents = accept.split(',').some((range) => range.trim().toLowerCase().startsWith(EVENT_STREAM));
  return { accept: BOTH, isJsonOnly: !namesEvents || ctx.accepts(EVENT_STREAM) === false };
}

/** The reply of a stream of events as JSON: its last message, which is the result or the error. Other replies stay as they are. */
export async function inJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) return response;
  const messages = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const reply = messages.findLast((message) => {
    const parsed: unknown = JSON.parse(message);
    return isJsonObject(parsed) && ('result' in parsed || 'error' in parsed);
  });
  // The stream ends without a reply only where the client has left.
  if (reply === undefined) throw new RequestAbortedError();
  return new Response(reply, { status: response.status, headers: { 'Content-Type': 'application/json' } });
}
