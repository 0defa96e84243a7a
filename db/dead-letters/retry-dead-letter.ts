import { type RetryOverrides, retryRequest } from '../../domain/dead-letters/retry-request.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { acceptMessages, type Published, type Publisher } from '../messages/accept/accept-messages.ts';
import type { Vault } from '../secrets/vault.ts';
import { deleteDeadLetters } from './delete-dead-letters.ts';
import { originalRequest, originOf, readFailedMessages } from './read-failed-messages.ts';

/**
 * Makes a new message of a dead letter and deletes the record, in the caller's transaction. Deleting comes first: of two retries at
 * once the second waits, and finds nothing. Null where there is no such record, or its message is kept no longer.
 *
 * @throws {ServiceError} VALIDATION_ERROR, and what `acceptMessages` throws; the record stays then.
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
  const request = retryRequest(originalRequest(vault, publisher.tenant, message), overrides);
  const [published] = await acceptMessages(tx, vault, publisher, [{ request, origin: originOf(message) }]);
  if (published === undefined) throw new Error('a message was accepted without a result');
  return published;
}
