import { listHeldMessages } from '../../db/messages/list-held-messages.ts';
import type { Tenant } from '../../db/client.ts';
import type { WokenPage } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const PAGE_SIZE = 100;
const WAKES_AT_ONCE = 10;

/** Wakes the workflows of one page of the messages that the environment's halt has held. */
export function wakeHeldMessages(deps: Pick<ActivityDependencies, 'db' | 'wakeMessage'>) {
  return async (tenant: Tenant, afterId: string): Promise<WokenPage> => {
    const ids = await deps.db.withEnvironment(tenant, (tx) => listHeldMessages(tx, afterId, PAGE_SIZE));
    await wakeAll(deps, tenant, ids);
    return { woken: ids.length, afterId: ids.length < PAGE_SIZE ? null : (ids.at(-1) ?? null) };
  };
}

/** Starts the workflows of these messages, or wakes them. */
export function wakeMessages(deps: Pick<ActivityDependencies, 'wakeMessage'>) {
  return (tenant: Tenant, messageIds: string[]): Promise<void> => wakeAll(deps, tenant, messageIds);
}

export async function wakeAll(
  deps: Pick<ActivityDependencies, 'wakeMessage'>,
  { workspaceId, environmentId }: Tenant,
  messageIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < messageIds.length; from += WAKES_AT_ONCE) {
    const some = messageIds.slice(from, from + WAKES_AT_ONCE);
    await Promise.all(some.map((messageId) => deps.wakeMessage({ messageId, workspaceId, environmentId })));
  }
}
