import { expect, test } from 'vitest';
import { remembered } from '../../domain/remembered.ts';

test('what is remembered is made once, also by calls at once; a failure is made again', async () => {
  let made = 0;
  const fails = [true, false];
  const value = remembered(async () => {
    made += 1;
    await Promise.resolve();
    if (fails.shift() === true) throw new Error('away');
    return made;
  });
  await Promise.all([expect(value()).rejects.toThrow('away'), expect(value()).rejects.toThrow('away')]);
  expect(made).toBe(1);
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
});
