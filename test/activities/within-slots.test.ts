import { expect, test } from 'vitest';
import { withinSlots } from '../../activities/within-slots.ts';

test('so many run at once; one more is answered null and has done nothing; a slot is free again after a failure too', async () => {
  const ends: { succeed: () => void; fail: () => void }[] = [];
  const attempt = withinSlots(
    (message: string): Promise<string> =>
      new Promise((resolve, reject) => {
        ends.push({ succeed: () => resolve(message), fail: () => reject(new Error(message)) });
      }),
    2,
  );
  const [first, second] = [attempt('first'), attempt('second')];
  expect(await attempt('over')).toBeNull();
  expect(ends).toHaveLength(2);

  ends[0]?.fail();
  await expect(first).rejects.toThrow('first');
  const third = attempt('third');
  expect(await attempt('over')).toBeNull();
  ends[1]?.succeed();
  ends[2]?.succeed();
  expect(await Promise.all([second, third])).toEqual(['second', 'third']);
});

test('an activity that throws before it waits holds no slot', async () => {
  const attempt = withinSlots((): Promise<string> => {
    throw new Error('at once');
  }, 1);
  await expect(attempt()).rejects.toThrow('at once');
  await expect(attempt()).rejects.toThrow('at once');
});
