import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { type Issue, ServiceError, validationError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import { toServiceError } from '../http/failures.ts';
import { requireScope } from '../http/rights.ts';
import { OPERATION_KEY_CHARACTERS_MAX } from '../actions/request-members.ts';
import { invokeRoute } from '../invocations/routes.ts';
import { RUN_OWN_TOOL } from './call-own-tool.ts';
import type { Call } from './exchange.ts';
import { invoke } from './invoke.ts';
import { findOwnTool } from './own-tools.ts';
import { findPinnedAction } from './pinned-tools.ts';
import { invalidParams } from './protocol-errors.ts';
import { refusedReply } from './replies.ts';
import { replyOrTask } from './tasks.ts';

/** Where a client names the operation of a pinned action, whose arguments are its input only. */
const OPERATION_KEY_META = 'operationKey';

export interface ToolCall {
  name: string;
  given: unknown;
}

/**
 * Calls a tool. A call that was not carried out (arguments, scope, missing record, limit) is a result with `isError`, which the agent can
 * read and correct. An unknown tool is a protocol error.
 */
export async function callTool(call: Call, { name, given }: ToolCall): Promise<CallToolResult> {
  const own = findOwnTool(name);
  try {
    if (own === undefined) return await callPinnedAction(call, name, given);
    requireScope(call.exchange.caller, own.route);
    return await inWordsOfTheTool('', () => RUN_OWN_TOOL[own.name](call, given ?? {}));
  } catch (error) {
    if (error instanceof RequestAbortedError || error instanceof ProtocolError) throw error;
    return refusedReply(call.exchange, toServiceError(error));
  }
}

async function callPinnedAction(call: Call, name: string, given: unknown): Promise<CallToolResult> {
  const { exchange, context } = call;
  requireScope(exchange.caller, invokeRoute);
  const action = await findPinnedAction(exchange, name);
  if (action === null) throw invalidParams('Unknown tool: tools/list names the tools of this key.');
  const operationKey = operationKeyOf(context.mcpReq._meta);
  const input = isJsonObject(given) ? given : {};
  const body: JsonObject = { input, ...(operationKey === null ? {} : { operationKey }) };
  // By id: another action may take the name meanwhile.
  const invocation = await inWordsOfTheTool('input', () => invoke(call, { ref: action.id, body, waitSeconds: 0 }));
  return replyOrTask(call, invocation);
}

function operationKeyOf(meta: Record<string, unknown> | undefined): string | null {
  const key = meta?.[OPERATION_KEY_META];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length >= 1 && key.length <= OPERATION_KEY_CHARACTERS_MAX) return key;
  const message = `must be a string of 1 to ${OPERATION_KEY_CHARACTERS_MAX} characters`;
  throw validationError([{ path: `_meta.${OPERATION_KEY_META}`, message }]);
}

/** Renames issue paths from the route's body to the tool's arguments. `within`: where in the body the arguments are. */
async function inWordsOfTheTool<T>(within: '' | 'input', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const issues =
      error instanceof ServiceError && error.code === 'VALIDATION_ERROR' ? error.details?.['issues'] : null;
    if (!Array.isArray(issues)) throw error;
    const inBody = within === '' ? /^body\b/ : /^body\.input\b/;
    throw validationError(
      (issues as Issue[]).map(({ path, message }) => ({ path: path.replace(inBody, 'arguments'), message })),
    );
  }
}
