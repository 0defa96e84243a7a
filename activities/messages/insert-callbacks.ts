import type { EnvironmentTransaction } from '../../db/client.ts';
import { insertMessages } from '../../db/messages/insert-messages.ts';
import type { MessageWork } from '../../db/messages/lock-message.ts';
import { messagePlace, openContent, sealContent } from '../../db/messages/message-content.ts';
import { ownMessage } from '../../db/messages/own-message.ts';
import type { SeenResponse } from '../../db/messages/record-outcome.ts';
import type { Vault } from '../../db/secrets/vault.ts';
import { newId } from '../../domain/ids.ts';
import type { MessageRef } from '../../domain/messages/messages.ts';

export interface MessageOutcome {
  status: 'delivered' | 'failed';
  seen: SeenResponse;
}

/**
 * Accepts the callbacks of a message's end, each a message of its own, and returns their ids. `callbackUrl` receives every
 * end, `failureCallbackUrl` only a failure. A body that its publisher redacted is redacted in the callback's record too.
 * The body: docs/messages.md, "Statuses".
 */
export async function insertCallbacks(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal'>,
  ref: MessageRef,
  work: MessageWork,
  outcome: MessageOutcome,
): Promise<string[]> {
  const urls = [work.callbackUrl, outcome.status === 'failed' ? work.failureCallbackUrl : null];
  const wanted = urls.filter((url) => url !== null);
  if (wanted.length === 0) return [];
  const content = {
    headers: null,
    body: { kind: 'json', text: JSON.stringify(callbackBody(vault, ref, work, outcome)) } as const,
  };
  const redact = work.redact?.body === true ? { body: true } : null;
  const callbacks = wanted.map((url) => {
    const id = newId('message');
    const sealed = sealContent(vault, messagePlace(ref, id), content, redact);
    const { id: callbackOf, publishedBy } = work;
    return ownMessage({ id, kind: 'callback', url, content: sealed, redact, callbackOf, publishedBy });
  });
  await insertMessages(tx, callbacks);
  return callbacks.map((callback) => callback.id);
}

function callbackBody(
  vault: Pick<Vault, 'open'>,
  ref: MessageRef,
  work: MessageWork,
  { status, seen }: MessageOutcome,
): Record<string, unknown> {
  const { content } = work;
  const source = content === null ? null : openContent(vault, messagePlace(ref, work.id), content).body;
  return {
    messageId: work.id,
    url: work.url,
    status,
    attempts: work.attempts,
    maxRetries: work.maxRetries,
    responseStatus: seen.status,
    responseHeaders: seen.headers,
    responseBody: seen.body?.toString('base64') ?? null,
    sourceBody: source === null ? null : Buffer.from(source.text, 'utf8').toString('base64'),
    label: work.label,
    createdAt: work.createdAt.toISOString(),
  };
}
