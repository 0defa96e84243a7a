import type { Json } from '../../domain/json.ts';
import { REDACTED } from '../../domain/redacted.ts';
import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import type { Tenant } from '../client.ts';
import { type MessageContent, openContent, sealContent, type StoredContent } from '../messages/message-content.ts';
import type { SecretContext, Vault } from '../secrets/vault.ts';

/** A destination as a schedule keeps it: a publish request whose headers and body are kept as those of a message. */
export interface StoredDestination {
  request: Omit<PublishRequest, 'headers' | 'body'>;
  content: StoredContent;
}

/** The associated data of a schedule's sealed content. No secret's name holds a slash, so the two never collide. */
export function scheduleAssociatedData({ workspaceId, environmentId }: Tenant, scheduleId: string): SecretContext {
  return { workspaceId, environmentId, name: `schedule/${scheduleId}`, version: 1 };
}

export function sealDestination(
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  scheduleId: string,
  { headers, body, ...request }: PublishRequest,
): StoredDestination {
  const content: MessageContent = { headers: headers ?? null, body: bodyText(body ?? null) };
  return {
    request,
    content: sealContent(vault, scheduleAssociatedData(tenant, scheduleId), content, request.redact ?? null),
  };
}

/** The publish request as its author sent it, secret parts included: only for a firing. */
export function openDestination(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  scheduleId: string,
  { request, content }: StoredDestination,
): PublishRequest {
  const { headers, body } = openContent(vault, scheduleAssociatedData(tenant, scheduleId), content);
  return joined(request, headers, body === null ? null : bodyOf(body.kind, body.text));
}

/** The same as a reader may see it. */
export function shownDestination({ request, content }: StoredDestination): PublishRequest {
  const { headers, body, bodyKind, bodySealed } = content;
  if (bodySealed) return joined(request, headers, REDACTED);
  return joined(request, headers, bodyKind === 'none' || body === null ? null : bodyOf(bodyKind, body));
}

function joined(
  request: StoredDestination['request'],
  headers: Record<string, string> | null,
  body: Json,
): PublishRequest {
  return { ...request, ...(headers === null ? {} : { headers }), ...(body === null ? {} : { body }) };
}

/** A string is sent as it is: its publisher wrote the bytes. */
function bodyText(body: Json): MessageContent['body'] {
  if (body === null) return null;
  return typeof body === 'string' ? { kind: 'text', text: body } : { kind: 'json', text: JSON.stringify(body) };
}

function bodyOf(kind: 'text' | 'json', text: string): Json {
  return kind === 'text' ? text : (JSON.parse(text) as Json);
}
