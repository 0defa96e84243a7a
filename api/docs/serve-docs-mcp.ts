import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { DocsSearch } from '../../domain/docs/search.ts';
import type { HttpContext } from '../http/context.ts';
import { describeFailure } from '../../domain/failures.ts';
import { readBytes } from '../http/bodies.ts';
import { acceptedReply, inJson } from '../mcp/accepted-reply.ts';
import { oneMessage } from '../mcp/one-message.ts';
import { sendResponse } from '../mcp/send-response.ts';
import type { DocsSite } from './docs-site.ts';
import { createDocsMcpServer } from './mcp-tools.ts';
import { openToAll } from './send-body.ts';

/** Far above a question with a few filters. */
const BODY_BYTES_MAX = 65_536;

/** Streamable HTTP without sessions or credentials. */
export type AnswerDocsMcp = (ctx: HttpContext) => Promise<void>;

export function serveDocsMcp(site: DocsSite, search: () => Promise<DocsSearch>, logger: Logger): AnswerDocsMcp {
  const handler = createMcpHandler(() => createDocsMcpServer(site, search), {
    onerror: (error) => logger.debug({ failure: describeFailure(error) }, 'an MCP message was refused'),
  });
  return async (ctx) => {
    openToAll(ctx);
    const read = oneMessage(await readBytes(ctx.req, BODY_BYTES_MAX));
    if ('refusal' in read) {
      ctx.status = 400;
      ctx.type = 'application/json';
      ctx.body = JSON.stringify({ jsonrpc: '2.0', id: null, error: read.refusal });
      return;
    }
    const { accept, isJsonOnly } = acceptedReply(ctx);
    const headers = new Headers({ Accept: accept, 'Content-Type': ctx.get('Content-Type') });
    for (const [name, value] of Object.entries(ctx.headers)) {
      if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
    }
    const request = new Request('http://localhost/docs/mcp', { method: 'POST', headers });
    const response = await handler.fetch(request, { parsedBody: read.parsed });
    await sendResponse(ctx, isJsonOnly ? await inJson(response) : response);
  };
}
