import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { headlineOfInvocation } from '../../domain/mcp/headlines.ts';
import { isOpen } from '../../domain/lifecycle.ts';
import { getInvocationRoute } from '../invocations/routes.ts';
import { type Call, type Exchange, mayCall } from './exchange.ts';
import { waitForEnd } from './invoke.ts';
import { answering } from './protocol-errors.ts';
import { decideAt, invocationReply, type ShownInvocation } from './replies.ts';

/**
 * Tasks of the extension io.modelcontextprotocol/tasks (SEP-2663); the package has no server side of it. A task is a parked invocation
 * under its own id: PostgreSQL has it before anyone learns of it, and every process can answer for it.
 */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** People rarely decide sooner, and get_invocation waits without polling. */
const POLL_INTERVAL_MS = 5_000;

const taskParams = z.object({ taskId: z.string().min(1).max(100) });

/** An alias: the package takes objects with string keys, which an interface is not. */
type Task = {
  taskId: string;
  status: 'working' | 'completed';
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: null;
  pollIntervalMs: number;
};

/**
 * Returns a task for an invocation that waits for a person, if the client supports tasks in this request and its key may read it. Other
 * clients get the id and where a person decides.
 */
export function replyOrTask(call: Call, invocation: ShownInvocation): CallToolResult {
  const { exchange } = call;
  const reply = invocationReply(exchange, invocation);
  if (invocation.status !== 'pending_approval' || !knowsTasks(call) || !mayCall(exchange, getInvocationRoute))
    return reply;
  return { ...taskOf(exchange, invocation), resultType: 'task', content: reply.content };
}

function knowsTasks({ exchange, context }: Call): boolean {
  if (exchange.era !== 'modern') return false;
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES] as { extensions?: Record<string, unknown> } | undefined;
  return capabilities?.extensions?.[TASKS_EXTENSION] !== undefined;
}

function taskOf(exchange: Exchange, invocation: ShownInvocation): Task {
  const { id, status, createdAt, settledAt } = invocation;
  return {
    taskId: id,
    status: isOpen(status) ? 'working' : 'completed',
    statusMessage: headlineOfInvocation(invocation, decideAt(exchange, invocation)),
    createdAt,
    lastUpdatedAt: settledAt ?? createdAt,
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

/**
 * `tasks/get`, `tasks/update` and `tasks/cancel`. An ended task is completed with its receipt, whatever its status: the call was carried
 * out.
 */
export function serveTasks(server: Server, exchange: Exchange): void {
  const read = (taskId: string, context: Call['context']): Promise<ShownInvocation> =>
    waitForEnd({ exchange, context }, taskId, 0);
  server.setRequestHandler('tasks/get', { params: taskParams }, ({ taskId }, context) =>
    answering(exchange, async () => {
      const invocation = await read(taskId, context);
      const task = taskOf(exchange, invocation);
      return task.status === 'working' ? task : { ...task, result: invocationReply(exchange, invocation) };
    }),
  );
  // Nothing here asks the client for input, and deciding is no tool.
  server.setRequestHandler('tasks/update', { params: taskParams }, ({ taskId }, context) =>
    answering(exchange, async () => {
      await read(taskId, context);
      return {};
    }),
  );
  // Cancelling ends the client's interest only. The approval stays open.
  server.setRequestHandler('tasks/cancel', { params: taskParams }, ({ taskId }, context) =>
    answering(exchange, async () => {
      await read(taskId, context);
      return {};
    }),
  );
}
