import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { insertMessages, type NewMessage, ownMessage } from '../../db/messages/insert-messages.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import { messageAssociatedData, openContent, sealContent } from '../../db/messages/records.ts';
import type { SeenResponse } from '../../db/messages/claims.ts';
import { newId } from '../../domain/ids.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { SettledAttempt } from './send-attempt.ts';

interface MessageOutcome {
  status: 'delivered' | 'failed';
  seen: SeenResponse;
}

/**
 * Accepts the callbacks of messages that have ended, each a message of its own. `callbackUrl` receives every end, `failureCallbackUrl`
 * only a failure. A body that its publisher redacted is redacted in the callback's record too. The body: docs/messages.md, "Statuses".
 */
export async function insertCallbacks(
  tx: EnvironmentTransaction,
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  tenant: Tenant,
  settled: readonly SettledAttempt[],
): Promise<void> {
  const callbacks = settled.flatMap(({ work, outcome: { kind: status }, result: { seen } }) =>
    status === 'retry' ? [] : callbacksOf(deps, tenant, work, { status, seen }),
  );
  if (callbacks.length > 0) await insertMessages(tx, callbacks);
}

function callbacksOf(
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  tenant: Tenant,
  work: MessageWork,
  outcome: MessageOutcome,
): NewMessage[] {
  const urls = [work.callbackUrl, outcome.status === 'failed' ? work.failureCallbackUrl : null];
  const wanted = urls.filter((url) => url !== null);
  if (wanted.length === 0) return [];
  const content = {
    headers: null,
    body: { kind: 'json', text: JSON.stringify(callbackBody(deps, tenant, work, outcome)) } as const,
  };
  const redact = work.redact?.body === true ? { body: true } : null;
  return wanted.map((url) => {
    const id = newId('message');
    const sealed = sealContent(deps.vault, messageAssociatedData(tenant, id), content, redact);
    const { id: callbackOf, publishedBy } = work;
    return ownMessage({ id, kind: 'callback', url, content: sealed, redact, callbackOf, publishedBy });
  });
}

function callbackBody(
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  tenant: Tenant,
  work: MessageWork,
  { status, seen }: MessageOutcome,
): Record<string, unknown> {
  const source = sourceOf(deps, tenant, work);
  return {
    messageId: work.id,
    url: work.url,
    status,
    attempts: work.attempt,
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
  tenant: Tenant,
  { id, content }: MessageWork,
): string | null {
  if (content === null || !content.bodySealed) return content?.body ?? null;
  try {
    return openContent(vault, messageAssociatedData(tenant, id), content).body?.text ?? null;
  } catch (error) {
    logger.error(
      { ...tenant, messageId: id, err: error },
      'a callback is sent without the body of its message, which does not open',
    );
    return null;
  }
}
