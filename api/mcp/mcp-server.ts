import { Server } from '@modelcontextprotocol/server';
import { PRODUCT } from '../../domain/product.ts';
import { callTool } from './call-tool.ts';
import type { Exchange } from './exchange.ts';
import { listTools } from './list-tools.ts';
import { answering } from './protocol-errors.ts';
import { listResources, readResource, TEMPLATES } from './resources.ts';
import { serveTasks, TASKS_EXTENSION } from './tasks.ts';

const INSTRUCTIONS =
  'Actions are calls to other systems under rules: who may, how much, and who must agree. Find one with search_actions, read its input ' +
  'schema with describe_action, run it with invoke_action. The answer is a receipt: read its status and grade. PENDING_APPROVAL waits ' +
  'for a person: give them the URL, then call get_invocation with waitSeconds. UNKNOWN may have taken effect: never invoke it again ' +
  'under another operationKey, the service finds out. Deciding an approval is no tool.';

/**
 * Server of one HTTP request, without state, so that every process can answer every client. `Server` allows tools computed per request;
 * `McpServer` registers a fixed set.
 */
export function createMcpServer(exchange: Exchange): Server {
  const server = new Server(
    { name: PRODUCT.id, title: PRODUCT.name, version: PRODUCT.version },
    {
      capabilities: {
        tools: {},
        resources: {},
        ...(exchange.era === 'modern' ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
      },
      instructions: INSTRUCTIONS,
    },
  );
  server.setRequestHandler('tools/list', ({ params }) =>
    answering(exchange, () => listTools(exchange, params?.cursor)),
  );
  server.setRequestHandler('tools/call', ({ params }, context) =>
    answering(exchange, () => callTool({ exchange, context }, { name: params.name, given: params.arguments })),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    answering(exchange, () => listResources(exchange, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () => TEMPLATES);
  server.setRequestHandler('resources/read', ({ params }) =>
    answering(exchange, () => readResource(exchange, params.uri)),
  );
  if (exchange.era === 'modern') serveTasks(server, exchange);
  return server;
}
