/** The items in their order, so many at a time; the last batch may be smaller. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Calls `work` for each item, in batches that follow one another. Rejects with the first failure, the last batch. */
export async function inBatches<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (const batch of batchesOf(items, size)) await Promise.all(batch.map(work));
}
