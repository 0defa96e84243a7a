import { MAX_RETRIES_DEFAULT, TIMEOUT_SECONDS_DEFAULT } from '../../domain/messages/messages.ts';
import type { NewMessage } from './insert-messages.ts';

type Given = 'id' | 'kind' | 'url' | 'content' | 'redact' | 'callbackOf' | 'publishedBy';

/**
 * A message that the service makes by itself, a callback or an alert: a POST now, with the retries and the time-out of a message that asks
 * for none.
 */
export function ownMessage(given: Pick<NewMessage, Given>): NewMessage {
  return {
    ...given,
    method: 'POST',
    label: null,
    scheduledFor: null,
    maxRetries: MAX_RETRIES_DEFAULT,
    retryDelaysMs: null,
    timeoutSeconds: TIMEOUT_SECONDS_DEFAULT,
    callbackUrl: null,
    failureCallbackUrl: null,
  };
}
