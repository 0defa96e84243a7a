import type { NewMessage } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';

/** A message without content, to be inserted; `given` replaces its members. */
export function plainMessage(given: Partial<NewMessage> = {}): NewMessage {
  return {
    id: newId('message'),
    kind: 'message',
    url: 'https://example.com/hook',
    method: 'POST',
    content: { headers: null, body: null, bodyKind: 'none', bodySealed: false, sealed: null },
    redact: null,
    label: null,
    scheduledFor: null,
    maxRetries: 0,
    retryDelaysMs: null,
    timeoutSeconds: 30,
    callbackUrl: null,
    failureCallbackUrl: null,
    callbackOf: null,
    publishedBy: { type: 'api_key', id: null },
    ...given,
  };
}
