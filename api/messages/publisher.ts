import type { Publisher } from '../../db/messages/accept/accept-messages.ts';
import type { Actor, Caller } from '../http/define-route.ts';

/** A caller as the publisher of messages. While the environment is halted only a key that holds `messages:ingest` may publish. */
export function publisherOf(caller: Caller, actor: Actor): Publisher {
  return {
    tenant: caller.tenant,
    publishedBy: actor,
    apiKeyId: caller.type === 'api_key' ? caller.keyId : null,
    publishesWhileHalted: caller.scopes.has('messages:ingest'),
  };
}
