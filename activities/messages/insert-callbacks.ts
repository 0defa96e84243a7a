import type { EnvironmentTransaction } from '../../db/client.ts';
import { insertMessages, ownMessage } from '../../db/messages/insert-messages.ts';
import type { MessageWork } from '../../db/messages/lock-message.ts';
import { messageAssociatedData, openContent, sealContent } from '../../db/messages/records.ts';
import type { SeenResponse } from '../../db/messages/attempts.ts';
import { newId } from '../../domain/ids.ts';
import type { MessageRef } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';

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
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  ref: MessageRef,
  work: MessageWork,
  outcome: MessageOutcome,
): Promise<string[]> {
  const urls = [work.callbackUrl, outcome.status === 'failed' ? work.failureCallbackUrl : null];
  const wanted = urls.filter((url) => url !== null);
  if (wanted.length === 0) return [];
  const content = {
    headers: null,
    body: { kind: 'json', text: JSON.stringify(callbackBody(deps, ref, work, outcome)) } as const,
  };
  const redact = work.redact?.body === true ? { body: true } : null;
  const callbacks = wanted.map((url) => {
    const id = newId('message');
    const sealed = sealContent(deps.vault, messageAssociatedData(ref, id), content, redact);
    const { id: callbackOf, publishedBy } = work;
    return ownMessage({ id, kind: 'callback', url, content: sealed, redact, callbackOf, publishedBy });
  });
  await insertMessages(tx, callbacks);
  return callbacks.map((callback) => callback.id);
}

function callbackBody(
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  ref: MessageRef,
  work: MessageWork,
  { status, seen }: MessageOutcome,
): Record<string, unknown> {
  const source = sourceOf(deps, ref, work);
  return {
    messageId: work.id,
    url: work.url,
    status,
    attempts: work.attempts,
    maxRetries: work.maxRetries,
    responseStatus: seen.status,
    responseHeaders: seen.headers,
    responseBody: seen.body?.toString('base64') ?? null,
    sourceBody: source === null ? null : Buffer.from(source, 'utf8').toString('base64'),
    label: work.label,
    createdAt: work.createdAt.toISOString(),
  };
}

/** The body that was sent. Null if there was none, or if it cannot be opened: the end of a message does not wait for a lost key. */
function sourceOf(
  { vault, logger }: Pick<ActivityDependencies, 'vault' | 'logger'>,
  ref: MessageRef,
  { id, content }: MessageWork,
): string | null {
  if (content === null || !content.bodySealed) return content?.body ?? null;
  try {
    return openContent(vault, messageAssociatedData(ref, id), content).body?.text ?? null;
  } catch (error) {
    logger.error({ ...ref, err: error }, 'a callback is sent without the body of its message, which does not open');
    return null;
  }
}
