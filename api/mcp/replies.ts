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

export type ShownInvocation = ToldInvocation & { createdAt: string; settledAt: string | null; effectId: string | null };

/** A record as one sentence, as structured content, and as JSON text for clients that read only text. */
export function recordReply(headline: string, record: object): CallToolResult {
  return {
    content: [
      { type: 'text', text: headline },
      { type: 'text', text: JSON.stringify(record) },
    ],
    structuredContent: { ...record },
  };
}

/** A receipt is no error, whatever its grade: the call was carried out. */
export function invocationReply(exchange: Exchange, invocation: ShownInvocation): CallToolResult {
  return recordReply(headlineOfInvocation(invocation, decideAt(exchange, invocation)), invocation);
}

/** Where a person decides. Returns null when nothing waits or the service's public address is unknown. */
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
 * For a call that was not carried out: the code, the remedy and the REST error body. Text only: official clients check structured content
 * against the output schema, even of errors, and would throw the error away.
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
