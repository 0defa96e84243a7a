import { expect, test } from 'vitest';
import { batchesOf, inBatches } from '../../domain/batches-of.ts';

test('batches hold each item once, in order, and none is empty', () => {
  expect([...batchesOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...batchesOf([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...batchesOf([], 2)]).toEqual([]);
});

test('work in batches begins each batch once the one before it has ended', async () => {
  const log: string[] = [];
  await inBatches(['a', 'b', 'c'], 2, async (item) => {
    log.push(`${item} begins`);
    await Promise.resolve();
    log.push(`${item} ends`);
  });
  expect(log).toEqual(['a begins', 'b begins', 'a ends', 'b ends', 'c begins', 'c ends']);
});

test('work in batches ends with the batch of the first failure', async () => {
  const begun: number[] = [];
  const working = inBatches([1, 2, 3, 4, 5], 2, (item) => {
    begun.push(item);
    return item === 3 ? Promise.reject(new Error('three')) : Promise.resolve();
  });
  await expect(working).rejects.toThrow('three');
  expect(begun).toEqual([1, 2, 3, 4]);
});
