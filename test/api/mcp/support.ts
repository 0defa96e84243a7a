import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text as streamText } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { PATIENCE_MS } from '../../harness/patience.ts';
import type { TestService } from '../../harness/service.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { CallResult } from '../harness/test-api.ts';

/** `auto` finds the newest revision; `legacy` makes the handshake of 2025. */
export type Mode = 'auto' | 'legacy';

export interface McpClient {
  client: Client;
  /** A tool's result, typed as far as the tests read it. */
  tool(name: string, given?: JsonObject, meta?: JsonObject): Promise<ToolReply>;
}

export interface ToolReply {
  isError?: boolean;
  /** The texts, in their order. */
  texts: string[];
  /** The record; of an error the body, which is a text only. */
  structured: JsonObject;
}

export type Connect = (key: string, mode?: Mode) => Promise<McpClient>;

/** Official clients over real HTTP. Close them before the service. */
export function mcpClients(service: () => TestService): { connect: Connect; close: () => Promise<void> } {
  const open: Client[] = [];
  const connect: Connect = async (key, mode = 'auto') => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const headers = { Authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', service().baseUrl), { requestInit: { headers } }),
    );
    open.push(client);
    // From now on the client checks what each of these tools answers by its outputSchema.
    await client.listTools();
    const tool: McpClient['tool'] = async (name, given = {}, meta) =>
      replyOf(
        await client.callTool(
          { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) },
          { timeout: PATIENCE_MS },
        ),
      );
    return { client, tool };
  };
  return { connect, close: async () => void (await Promise.all(open.map((client) => client.close()))) };
}

export function replyOf(result: {
  isError?: boolean | undefined;
  content: readonly { type: string; text?: unknown }[];
  structuredContent?: unknown;
}): ToolReply {
  const texts = result.content.map(({ text }) => String(text));
  if (result.isError !== true) return { texts, structured: (result.structuredContent ?? {}) as JsonObject };
  if (result.structuredContent !== undefined)
    throw new Error('an error with structuredContent, which clients hold to the schema');
  return { isError: true, texts, structured: JSON.parse(texts[1] ?? '{}') as JsonObject };
}

let ids = 0;

const PROTOCOL = '2026-07-28';

/** One message of the newest revision, without the client package: its envelope says what this client knows. */
export function post(
  service: TestService,
  key: string,
  message: { method: string; params?: JsonObject },
  extensions: JsonObject = {},
): Promise<CallResult> {
  const params: JsonObject = {
    ...message.params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': PROTOCOL,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    },
  };
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  return service.call('POST', '/mcp', {
    key,
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': PROTOCOL,
      'Mcp-Method': message.method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    },
    body: { jsonrpc: '2.0', id: ++ids, method: message.method, params },
  });
}

/** The result of such a message. */
export function resultOf(reply: CallResult): JsonObject {
  const { result } = reply.json as { result?: JsonObject };
  if (result === undefined) throw new Error(`expected a result, got ${reply.status} ${reply.text}`);
  return result;
}

/** With a Host header of its own, which `fetch` does not let anyone set. */
export function postAs(service: TestService, key: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(service.baseUrl);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        path: '/mcp',
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    request.once('error', reject);
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
}

/** A message with exactly this Accept header; null sends none, which `fetch` cannot. */
export async function postRaw(
  url: string,
  key: string,
  accept: string | null,
  message: JsonObject,
): Promise<{ status: number; type: string | undefined; text: string }> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const request = httpRequest(url, {
    method: 'POST',
    headers: accept === null ? headers : { ...headers, Accept: accept },
  });
  request.end(JSON.stringify(message));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = await streamText(response);
  return { status: response.statusCode ?? 0, type: response.headers['content-type']?.split(';')[0], text };
}
