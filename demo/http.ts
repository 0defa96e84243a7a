import { createServer, type IncomingMessage, type Server } from 'node:http';

const BODY_BYTES_MAX = 100_000;

/** What a route answers. `lost` closes the connection without a byte of an answer: the caller cannot know what was done. */
export type Answer = { status: number; body: unknown } | { status: number; text: string } | 'lost';

/** Answers a call, or `null` where the call is for another route. */
export type Route = (call: Call) => Answer | null | Promise<Answer>;

export interface Call {
  method: string;
  path: string;
  /** Lower-case names. */
  headers: IncomingMessage['headers'];
  /** Parsed JSON; `null` for an empty body. */
  body: unknown;
}

/** A mistake of the caller, answered as `{ "error": { "code", "message" } }`. */
export class DemoError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Serves JSON with these routes, asked in order: the first one that answers, answers. */
export function serveJson(routes: readonly Route[]): Server {
  return createServer((request, response) => {
    void answer(request, routes).then((given) => {
      if (given === 'lost') {
        request.socket.destroy();
        return;
      }
      const isText = 'text' in given;
      response.writeHead(given.status, { 'content-type': isText ? 'text/plain' : 'application/json' });
      response.end(isText ? given.text : JSON.stringify(given.body));
    });
  });
}

async function answer(request: IncomingMessage, routes: readonly Route[]): Promise<Answer> {
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://demo');
    const call = {
      method: request.method ?? 'GET',
      path: pathname,
      headers: request.headers,
      body: await readJson(request),
    };
    for (const route of routes) {
      const given = await route(call);
      if (given !== null) return given;
    }
    throw new DemoError(404, 'not_found', `There is no ${call.method} ${call.path} here.`);
  } catch (error) {
    if (!(error instanceof DemoError)) console.error(error);
    const { status, code, message } =
      error instanceof DemoError ? error : new DemoError(500, 'internal', 'The demo failed; its log says why.');
    return { status, body: { error: { code, message } } };
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > BODY_BYTES_MAX) throw new DemoError(413, 'too_large', 'The body is too large.');
  }
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new DemoError(400, 'not_json', 'The body is not JSON.');
  }
}
