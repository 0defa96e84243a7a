import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  headlineOfEffect,
  headlineOfInvocation,
  headlineOfPreview,
  type ToldInvocation,
} from '../../domain/mcp/headlines.ts';
import { approvalUrl } from '../../domain/console-links.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { type JsonObject, textOf } from '../../domain/json.ts';
import { errorBodyOf } from './protocol-errors.ts';
import type { Exchange } from './exchange.ts';

/** An invocation as the API shows it. */
export type ShownInvocation = ToldInvocation & { createdAt: string; settledAt: string | null; effectId: string | null };

/** A record of the API: what it says in a sentence, and the whole of it, as JSON for clients that read only texts too. */
export function recordReply(headline: string, record: object): CallToolResult {
  return {
    content: [
      { type: 'text', text: headline },
      { type: 'text', text: JSON.stringify(record) },
    ],
    structuredContent: { ...record },
  };
}

/** A receipt is no error, whatever its grade: the call was carried out, and this is what came of it. */
export function invocationReply(exchange: Exchange, invocation: ShownInvocation): CallToolResult {
  return recordReply(headlineOfInvocation(invocation, decideAt(exchange, invocation)), invocation);
}

/** Where a person decides on a parked invocation; null where nothing waits for a decision, or nobody said how the service is reached. */
export function decideAt(
  { caller, runner }: Exchange,
  { approvalId, status }: Pick<ShownInvocation, 'approvalId' | 'status'>,
): string | null {
  if (approvalId === null || status !== 'pending_approval') return null;
  return approvalUrl(runner.deps.pagesUrl, caller.environment.id, approvalId);
}

export function effectReply(effect: JsonObject): CallToolResult {
  return recordReply(headlineOfEffect(effect), effect);
}

export function previewReply(preview: JsonObject & { action: JsonObject }): CallToolResult {
  return recordReply(headlineOfPreview(preview, textOf(preview.action, 'name')), preview);
}

/**
 * The call was not carried out. The agent reads the code and what to do; the body is that of the REST API. It is a text and not structured:
 * official clients hold what is structured to the tool's output schema, also of an error, and would throw the error away.
 */
export function refusedReply(exchange: Exchange, error: ServiceError): CallToolResult {
  const body = errorBodyOf(exchange, error);
  return {
    isError: true,
    content: [
      { type: 'text', text: `${body.error.code}: ${body.error.message}` },
      { type: 'text', text: JSON.stringify(body) },
    ],
  };
}
