import {
  keepsSealed,
  type OriginalRequest,
  type RetryOverrides,
  retryRequest,
} from '../../domain/dead-letters/retry-request.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { acceptMessages, type Published, type Publisher } from '../messages/accept/accept-messages.ts';
import { openedOrConflict } from '../secrets/unopened.ts';
import type { Vault } from '../secrets/vault.ts';
import { deleteDeadLetters } from './delete-dead-letters.ts';
import { type FailedMessage, originalRequest, originOf, readFailedMessages } from './read-failed-messages.ts';

/**
 * Makes a new message of a dead letter and deletes the record, in the caller's transaction. Deleting comes first: of two retries at once
 * the second waits, and finds nothing. Null if there is no such record, or its message is no longer kept.
 *
 * @throws {ServiceError} VALIDATION_ERROR, CONFLICT where the kept content cannot be opened, and what `acceptMessages` throws; the record
 * stays then.
 */
export async function retryDeadLetter(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal' | 'digests'>,
  publisher: Publisher,
  messageId: string,
  overrides: RetryOverrides,
): Promise<Published | null> {
  const deleted = await deleteDeadLetters(tx, [messageId]);
  if (deleted.length === 0) return null;
  const [message] = await readFailedMessages(tx, deleted);
  if (message === undefined) return null;
  const request = retryRequest(opened(vault, publisher, message, overrides), overrides);
  const [published] = await acceptMessages(tx, vault, publisher, [{ request, origin: originOf(message, overrides) }]);
  if (published === undefined) throw new Error('a message was accepted without a result');
  return published;
}

/** A caller who gives all sealed parts again must succeed, even if the earlier content cannot be opened. */
function opened(
  vault: Pick<Vault, 'open'>,
  { tenant }: Publisher,
  message: FailedMessage,
  overrides: RetryOverrides,
): OriginalRequest {
  const { content } = message;
  const sealed = keepsSealed(content, overrides) ? content.sealed : null;
  return openedOrConflict(
    () => originalRequest(vault, tenant, { ...message, content: { ...content, sealed } }),
    'The sealed content of the message does not open. Give its sealed headers, and its body if that is redacted, anew.',
  );
}
