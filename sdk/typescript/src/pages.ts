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
      const id = isObject(item) ? item['id'] : undefined;
      if (id !== undefined && given.has(id)) continue;
      if (id !== undefined) given.add(id);
      yield item;
    }
    if (!hasMore) return;
  }
}

function pageOf(reply: unknown): { items: readonly unknown[]; hasMore: boolean } {
  const { data, pagination } = isObject(reply) ? reply : {};
  if (!Array.isArray(data) || !isObject(pagination) || typeof pagination['hasMore'] !== 'boolean')
    throw new UnexpectedReplyError(200, 'The reply is no page of a list.');
  if (data.length === 0 && pagination['hasMore'])
    throw new UnexpectedReplyError(200, 'The reply is an empty page that promises more.');
  return { items: data, hasMore: pagination['hasMore'] };
}
