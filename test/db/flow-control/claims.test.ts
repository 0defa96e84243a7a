import { describe, expect, test } from 'vitest';
import { readHalt, haltEnvironment, resumeEnvironment } from '../../../db/environments/halt.ts';
import { cancelMessage } from '../../../db/messages/changes.ts';
import { findDueLanes } from '../../../db/messages/directory.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { LaneWorld } from './world.ts';

/** Who is claimed next, of many lanes and by many claimers. */

const database = await createTestDatabase({ poolMax: 20 });

/** All that so many claimers at once get. */
async function claimedBy(claimers: number, world: LaneWorld, options = {}): Promise<string[]> {
  const claims = await Promise.all(Array.from({ length: claimers }, () => world.claim(options)));
  return claims.flatMap(({ ids }) => ids).sort();
}

describe('claimers at once', () => {
  test.each([
    ['no more than a window of the rate', { rate: 7 }],
    ['no more than the parallelism', { parallelism: 7 }],
  ])('take %s, the first ones, and none twice', async (_what, limits) => {
    const world = await LaneWorld.of(database);
    const ids = await world.publish(40, await world.key(limits));
    expect(await claimedBy(8, world, { most: 3 })).toEqual(ids.slice(0, 7));
  });

  test('take the share of their workspace in all of its environments together', async () => {
    const tenants = await database.anotherWorkspace();
    const worlds = [tenants.development, tenants.staging].map((tenant) => new LaneWorld(database, tenant));
    for (const world of worlds) {
      await world.publish(20, null);
      await world.publish(20, await world.key({}));
    }
    const claims = worlds.map((world) => claimedBy(4, world, { most: 3, share: 10 }));
    expect((await Promise.all(claims)).flat()).toHaveLength(10);
    const [first, second] = worlds;
    expect(await second?.claim({ share: 10 })).toMatchObject({ ids: [], isLeft: true });
    const another = await LaneWorld.of(database);
    await another.publish(1, null);
    expect((await another.claim({ share: 10 })).ids).toHaveLength(1);
    await database.asOwner('DELETE FROM lane_queue WHERE workspace_id = $1 AND state = $2 AND lane_id IS NULL', [
      first?.tenant.workspaceId,
      'taken',
    ]);
    expect((await second?.claim({ share: 10 }))?.ids).not.toEqual([]);
  });
});

describe('a thousand messages that wait on one key', () => {
  /** Places that come free one by one go to keys or to ordinary messages by chance. */
  test.each([
    { most: 50, claims: 2 },
    { most: 1, claims: 200 },
  ])('keep neither another key nor ordinary messages waiting: claims of $most', async ({ most, claims }) => {
    const world = await LaneWorld.of(database);
    await world.publish(1_000, await world.key({}));
    const others = [...(await world.publish(10, null)), ...(await world.publish(10, await world.key({})))];
    const waiting = new Set(others);
    let made = 0;
    for (; waiting.size > 0 && made < claims; made++) {
      const { ids, attempts } = await world.claim({ most, share: most });
      for (const id of ids) waiting.delete(id);
      await world.end(attempts);
    }
    expect(waiting).toEqual(new Set());
  });

  test('a claim that took its turn of a key may be followed at once, one at its limit may not', async () => {
    const world = await LaneWorld.of(database);
    await world.publish(30, await world.key({ parallelism: 25 }));
    const [turn, rest] = [await world.claim(), await world.claim()];
    expect([turn.ids.length, turn.isMore, rest.ids.length, rest.isMore]).toEqual([20, true, 5, false]);
  });

  test('nor do ordinary ones keep a key waiting', async () => {
    const world = await LaneWorld.of(database);
    await world.publish(1_000, null);
    const ids = await world.publish(5, await world.key({}));
    expect((await world.claim({ most: 50 })).ids).toEqual(expect.arrayContaining(ids));
  });
});

describe('a message that is cancelled', () => {
  const cancel = (world: LaneWorld, id: string) =>
    world
      .inTransaction(world.tenant, (tx) => cancelMessage(tx, id))
      .then((result) => result !== null && 'cancelled' in result);

  test('while claims pass over it is never claimed, and the claim does not wait for it', async () => {
    const world = await LaneWorld.of(database);
    const [first = '', second] = await world.publish(2, await world.key({ parallelism: 1 }));
    await world.inTransaction(world.tenant, async (tx) => {
      await cancelMessage(tx, first);
      expect((await world.claim()).ids).toEqual([second]);
    });
    expect((await world.claim()).ids).toEqual([]);
    expect(await world.read((await keyOf(world)) ?? '')).toMatchObject({ waiting: 0, inFlight: 1 });
  });

  test('at the moment of its claim is either cancelled or sent', async () => {
    const world = await LaneWorld.of(database);
    const ids = [...(await world.publish(30, null)), ...(await world.publish(30, await world.key({})))];
    const [cancelled, ...claims] = await Promise.all([
      Promise.all(ids.map((id) => cancel(world, id))),
      ...Array.from({ length: 6 }, () => world.claim({ most: 10 })),
    ]);
    const claimed = claims.flatMap((claim) => claim.ids);
    const gone = ids.filter((_id, n) => cancelled[n]);
    expect(claimed.filter((id) => gone.includes(id))).toEqual([]);
    expect(new Set([...claimed, ...gone]).size).toBe(60);
  });

  const keyOf = async ({ tenant }: LaneWorld): Promise<string | undefined> =>
    (
      await database.asOwner<{ id: string }>('SELECT id FROM lanes WHERE environment_id = $1', [tenant.environmentId])
    )[0]?.id;
});

describe('a halt', () => {
  const actor = { type: 'user', id: null } as const;
  const halt = (world: LaneWorld) =>
    world.inTransaction(world.tenant, (tx) =>
      haltEnvironment(tx, world.tenant.environmentId, { reason: 'an incident', actor }),
    );

  test('lets no claim through after its commit but those of alerts; the others keep their places', async () => {
    const world = await LaneWorld.of(database);
    const ids = [...(await world.publish(2, await world.key({}))), ...(await world.publish(2, null))];
    const { environmentId } = world.tenant;
    /** Whether the claimers look there by themselves. */
    const isLookedAt = async (): Promise<boolean> =>
      (await findDueLanes(database.db, { afterId: '', limit: 1_000 })).some(
        (due) => due.environmentId === environmentId,
      );
    await halt(world);
    expect(await isLookedAt()).toBe(false);
    const [alert] = await world.publish(1, null, { kind: 'alert' });
    expect(await isLookedAt()).toBe(true);
    expect(await world.claim()).toMatchObject({ ids: [alert], isLeft: false, nextInMs: null });
    await world.inTransaction(world.tenant, (tx) => resumeEnvironment(tx, environmentId));
    expect(await isLookedAt()).toBe(true);
    expect((await world.claim()).ids).toEqual(ids);
  });

  test('waits for the claim that is under way, and a claim behind it takes nothing', async () => {
    const world = await LaneWorld.of(database);
    await world.publish(1, null);
    let halting: Promise<unknown> | undefined;
    await world.inTransaction(world.tenant, async (tx) => {
      await readHalt(tx); // as a claim does
      halting = halt(world);
      await expect.poll(() => database.lockWaits('%halt_lock_of%')).toBe(1);
    });
    await halting;
    expect((await world.claim()).ids).toEqual([]);
  });
});
