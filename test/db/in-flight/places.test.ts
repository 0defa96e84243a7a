import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { givePlaceBack } from '../../../db/in-flight/give-place-back.ts';
import { takePlace } from '../../../db/in-flight/take-place.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

let database: TestDatabase;
let development: Tenant;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 20 });
  development = database.tenants.development;
});
afterAll(() => database.close());
beforeEach(() => database.asOwner('DELETE FROM places_in_flight'));

const take = (holder: string, { tenant = development, most = 2, leaseMs = 60_000 } = {}) =>
  database.db.withEnvironment(tenant, (tx) => takePlace(tx, { kind: 'dispatch', holder, most, leaseMs }));
const giveBack = (holder: string, tenant = development) =>
  database.db.withEnvironment(tenant, (tx) => givePlaceBack(tx, 'dispatch', holder));

test('as many as the cap are taken, however many ask at once, and the others have each a position of their own', async () => {
  const positions = await Promise.all(Array.from({ length: 20 }, (_, n) => take(`inv_${n}`, { most: 5 })));
  expect(positions.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, ...Array.from({ length: 15 }, (_, n) => n + 1)]);
});

test('first come, first served: a newcomer does not get a place that somebody in line is told of', async () => {
  for (const holder of ['a', 'b']) expect(await take(holder)).toBe(0);
  expect([await take('c'), await take('d')]).toEqual([1, 2]);
  expect(await giveBack('a')).toBe('c');
  expect(await take('e')).toBe(2);
  expect(await take('d')).toBe(1);
  expect(await take('c')).toBe(0);
});

test('two that give back at once tell two', async () => {
  for (const holder of ['a', 'b']) await take(holder);
  for (const holder of ['c', 'd']) await take(holder);
  expect((await Promise.all([giveBack('a'), giveBack('b')])).sort()).toEqual(['c', 'd']);
});

test('who has a place has it when it asks again, and gives it back once', async () => {
  for (const holder of ['a', 'b']) await take(holder);
  expect(await take('a')).toBe(0);
  await take('c');
  expect([await giveBack('a'), await giveBack('a')]).toEqual(['c', null]);
});

test('the place of a holder that died expires, and who waited and is gone keeps nobody waiting', async () => {
  await take('a', { leaseMs: 1 });
  await take('b');
  await expect.poll(() => take('c')).toBe(0);
  expect(await take('gone')).toBe(1);
  expect(await take('d')).toBe(2);
  await database.asOwner(`UPDATE places_in_flight SET expires_at = now() - interval '1 second' WHERE holder = 'gone'`);
  expect(await take('d')).toBe(1);
  expect(await giveBack('b')).toBe('d');
  expect(await take('d')).toBe(0);
});

test('environments of a workspace share its cap; another workspace has its own', async () => {
  const { staging } = database.tenants;
  const another = (await database.anotherWorkspace()).development;
  expect([await take('a'), await take('b', { tenant: staging })]).toEqual([0, 0]);
  expect(await take('c', { tenant: staging })).toBe(1);
  expect(await take('a', { tenant: another })).toBe(0);
  // Nobody gives back what another environment holds.
  expect(await giveBack('a', staging)).toBeNull();
  expect(await take('c', { tenant: staging })).toBe(1);
  expect(await giveBack('a')).toBe('c');
});

test('what is rolled back has taken nothing', async () => {
  const failing = database.db.withEnvironment(development, async (tx) => {
    await takePlace(tx, { kind: 'dispatch', holder: 'a', most: 1, leaseMs: 60_000 });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await take('b', { most: 1 })).toBe(0);
});
