import { type IntegrationWithCredential, readCredential } from '../../db/integrations/integrations.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { type ChatProvider, PROVIDER_NAMES } from '../../domain/integrations/integrations.ts';
import type { JsonObject } from '../../domain/json.ts';

/** The caller waits for the chat system. */
export const CHAT_TIMEOUT_MS = 10_000;

/** @throws {ServiceError} NOT_FOUND where there is none, or one of another chat system. */
export async function credentialOf(
  tx: EnvironmentTransaction,
  id: string,
  provider: ChatProvider,
): Promise<IntegrationWithCredential> {
  const found = existing(await readCredential(tx, { id, provider }), 'integration');
  return found;
}

/** What the chat system answered. @throws {ServiceError} CONFLICT for what it refuses, SERVICE_UNAVAILABLE where it is away. */
export function answerOf(provider: ChatProvider, reply: ChatReply): JsonObject {
  if (reply.kind === 'done') return reply.data;
  throw reply.kind === 'refused'
    ? new ServiceError('CONFLICT', { message: `${PROVIDER_NAMES[provider]} refused it: ${reply.reason}` })
    : unavailable(provider, reply.reason);
}

export function unavailable(provider: ChatProvider, reason: string): ServiceError {
  const message = `${PROVIDER_NAMES[provider]} cannot be reached now (${reason}). Send it again.`;
  return new ServiceError('SERVICE_UNAVAILABLE', { message });
}

/** A text of a chat system's answer; an empty one where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : '';
}
