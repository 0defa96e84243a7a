import { type IntegrationWithCredential, readCredential } from '../../db/integrations/integrations.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { type ChatProvider, PROVIDER_NAMES } from '../../domain/integrations/integrations.ts';
import type { JsonObject } from '../../domain/json.ts';

export const CHAT_TIMEOUT_MS = 10_000;

/** @throws {ServiceError} NOT_FOUND for none, or one of another chat system. */
export async function credentialOf(
  tx: EnvironmentTransaction,
  id: string,
  provider: ChatProvider,
): Promise<IntegrationWithCredential> {
  const found = existing(await readCredential(tx, { id, provider }), 'integration');
  return found;
}

/** @throws {ServiceError} CONFLICT when the chat system refuses, SERVICE_UNAVAILABLE when it is unavailable. */
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

/** Returns an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : '';
}
