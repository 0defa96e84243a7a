import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { headlineOfUsage } from '../../domain/mcp/usage-headline.ts';
import { type JsonObject, textOf } from '../../domain/json.ts';
import { validatePart } from '../http/validate-request.ts';
import { type Call, callRoute } from './exchange.ts';
import { invoke, waitForEnd } from './invoke.ts';
import {
  describeAction,
  getEffect,
  getInvocation,
  getUsage,
  invokeAction,
  type OwnTool,
  previewAction,
  publishMessage,
  remember,
  searchActions,
  searchMemory,
} from './own-tools.ts';
import { Progress } from './progress.ts';
import { effectReply, invocationReply, previewReply, recordReply } from './replies.ts';
import { replyOrTask } from './tasks.ts';

/** @throws {ServiceError} VALIDATION_ERROR with the issues of all arguments. */
function parsed<Arguments extends z.ZodType>(tool: OwnTool<Arguments>, given: unknown): z.output<Arguments> {
  return validatePart('arguments', tool.arguments, given) as z.output<Arguments>;
}

type Run = (call: Call, given: unknown) => Promise<CallToolResult>;

/** Each tool calls its route with the arguments in the route's places. */
export const RUN_OWN_TOOL: Readonly<Record<OwnTool['name'], Run>> = {
  async search_actions({ exchange }, given) {
    const { query, limit } = parsed(searchActions, given);
    const { data, pagination } = await callRoute(exchange, searchActions.route, {
      query: { limit, ...(query === undefined ? {} : { query }) },
    });
    const actions = (data as JsonObject[]).map(summaryOf);
    const total = pagination?.total ?? actions.length;
    const more = total > actions.length ? ' Narrow the query to see the others.' : '';
    return recordReply(`${actions.length} of ${total} actions.${more}`, { actions, total });
  },

  async describe_action({ exchange }, given) {
    const { action } = parsed(describeAction, given);
    const { data } = await callRoute(exchange, describeAction.route, { params: { ref: action } });
    const described = data as JsonObject;
    return recordReply(`Action ${textOf(described, 'name')} (${textOf(described, 'id')}).`, described);
  },

  async preview_action({ exchange }, given) {
    const { action, ...body } = parsed(previewAction, given);
    const { data } = await callRoute(exchange, previewAction.route, { params: { ref: action }, body });
    return previewReply(data as JsonObject & { action: JsonObject });
  },

  async invoke_action(call, given) {
    const { action, waitSeconds = 0, ...body } = parsed(invokeAction, given);
    return replyOrTask(call, await invoke(call, { ref: action, body: body as JsonObject, waitSeconds }));
  },

  async get_invocation(call, given) {
    const { id, waitSeconds = 0 } = parsed(getInvocation, given);
    const read = (): ReturnType<typeof waitForEnd> => waitForEnd(call, id, waitSeconds);
    return invocationReply(call.exchange, await new Progress(call).during(`${id} has not ended`, read));
  },

  async get_effect({ exchange }, given) {
    const { id } = parsed(getEffect, given);
    const { data } = await callRoute(exchange, getEffect.route, { params: { id } });
    return effectReply(data as JsonObject);
  },

  async publish_message({ exchange }, given) {
    const body = parsed(publishMessage, given);
    const { data } = await callRoute(exchange, publishMessage.route, { body });
    // A URL group returns a list, and structured content is an object.
    if (Array.isArray(data)) return recordReply(`ACCEPTED: ${data.length} messages.`, { messages: data });
    const { messageId, deduplicated } = data as { messageId: string; deduplicated?: boolean };
    const again = deduplicated === true ? ' It is the one that was published before.' : '';
    return recordReply(`ACCEPTED: message ${messageId}.${again}`, data as object);
  },

  async search_memory({ exchange }, given) {
    const body = parsed(searchMemory, given);
    const { data } = await callRoute(exchange, searchMemory.route, { body });
    const memories = data as JsonObject[];
    return recordReply(`${memories.length} ${memories.length === 1 ? 'memory' : 'memories'}.`, { memories });
  },

  async remember({ exchange }, given) {
    const body = parsed(remember, given);
    const { data } = await callRoute(exchange, remember.route, { body });
    return recordReply(`REMEMBERED: memory ${textOf(data as JsonObject, 'id')}.`, data as object);
  },

  async get_usage({ exchange }, given) {
    parsed(getUsage, given);
    const { data } = await callRoute(exchange, getUsage.route, {});
    return recordReply(headlineOfUsage(data as Parameters<typeof headlineOfUsage>[0]), data as object);
  },
};

/** Enough to choose an action; describe_action returns it whole. */
function summaryOf({ id, name, description, governed, approval, mcp }: JsonObject): JsonObject {
  return {
    id: id ?? null,
    name: name ?? null,
    description: description ?? null,
    governed: governed ?? false,
    approvalRequired: (approval as JsonObject)['required'] ?? false,
    pinned: (mcp as JsonObject)['pinned'] ?? false,
  };
}
