import { expect, test } from 'vitest';
import { batchesOf } from '../../domain/batches-of.ts';

test('batches hold each item once, in order, and none is empty', () => {
  expect([...batchesOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...batchesOf([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...batchesOf([], 2)]).toEqual([]);
});
