/** The items in their order, so many at a time; the last batch may be smaller. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/**
 * Does one thing for each item, so many at a time; a batch begins once the one before it has ended. Rejects with the first failure, whose
 * batch is the last.
 */
export async function inBatches<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (const batch of batchesOf(items, size)) await Promise.all(batch.map(work));
}
