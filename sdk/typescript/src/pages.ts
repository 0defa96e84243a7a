import { UnexpectedReplyError } from './errors.ts';
import { isObject } from './replies.ts';

/** One page: the body of the reply. */
type ReadPage = (page: number) => Promise<unknown>;

/**
 * The items of a list, page after page, while the caller goes on. Lists are newest first: what comes meanwhile moves the rest to later pages,
 * so an item that was given is not given again.
 */
export async function* itemsOf(readPage: ReadPage, firstPage: number): AsyncGenerator<unknown, void, undefined> {
  const given = new Set<unknown>();
  for (let page = firstPage; ; page++) {
    const { items, hasMore } = pageOf(await readPage(page));
    for (const item of items) {
      const id = identityOf(item);
      if (id !== undefined && given.has(id)) continue;
      if (id !== undefined) given.add(id);
      yield item;
    }
    if (!hasMore) return;
  }
}

/** What names an item in its list. Never its `name`, which several may have. */
const IDENTITIES = ['id', 'messageId', 'groupId', 'apiKeyId', 'userId', 'scheduleId'] as const;

/** Attempts of one message share its id, and firings of one schedule that of the schedule. */
const TOLD_APART_BY: Readonly<Partial<Record<(typeof IDENTITIES)[number], readonly string[]>>> = {
  messageId: ['number'],
  scheduleId: ['trigger', 'scheduledFor', 'nominalTime', 'firedAt'],
};

/** Undefined: nothing names it. */
function identityOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const name = IDENTITIES.find((each) => typeof item[each] === 'string');
  if (name === undefined) return undefined;
  return JSON.stringify([item[name], ...(TOLD_APART_BY[name] ?? []).map((each) => item[each] ?? null)]);
}

function pageOf(reply: unknown): { items: readonly unknown[]; hasMore: boolean } {
  const { data, pagination } = isObject(reply) ? reply : {};
  if (!Array.isArray(data) || !isObject(pagination) || typeof pagination['hasMore'] !== 'boolean')
    throw new UnexpectedReplyError(200, 'The reply is no page of a list.');
  if (data.length === 0 && pagination['hasMore'])
    throw new UnexpectedReplyError(200, 'The reply is an empty page that promises more.');
  return { items: data, hasMore: pagination['hasMore'] };
}
