import { describe, expect, test } from 'vitest';
import { deleteKey } from '../../../db/flow-control/changes.ts';
import { haltEnvironment, resumeEnvironment } from '../../../db/environments/halt.ts';
import { PARALLELISM_MAX } from '../../../domain/flow-control/flow-control.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { type KeyLimits, KeyWorld } from './world.ts';

const database = await createTestDatabase({ poolMax: 20 });

const keyWith = (limits: KeyLimits): Promise<KeyWorld> => KeyWorld.of(database, limits);

describe('rate and parallelism', () => {
  test('60 messages at 10 a minute with parallelism 20: ten of each window, in order, to the message', async () => {
    const key = await keyWith({ rate: 10, parallelism: 20 });
    const ids = await key.publish(60);
    const sent: string[] = [];
    for (let minute = 0; minute < 6; minute++) {
      const { messageIds, nextInMs } = await key.grant('pacer');
      expect(messageIds).toEqual(ids.slice(minute * 10, minute * 10 + 10));
      // After the last ones nothing waits: the pacer ends.
      expect(nextInMs === null ? 'ends' : nextInMs > 40_000).toBe(minute === 5 ? 'ends' : true);
      for (const id of messageIds) expect(await key.claim(id)).toBe(true);
      sent.push(...messageIds);
      expect(await key.read()).toMatchObject({ windowCount: 10, inFlight: 10, waiting: 50 - minute * 10 });
      for (const id of messageIds) expect((await key.release(id))?.messageIds).toEqual([]);
      await key.letTimePass(30);
      expect((await key.grant('pacer')).messageIds).toEqual([]);
      await key.letTimePass(30);
    }
    expect(sent).toEqual(ids);
  });

  test('parallelism bounds what is in flight: a finish grants the next one, and needs no pacer', async () => {
    const key = await keyWith({ parallelism: 2 });
    const [first = '', second = '', third = '', fourth = ''] = await key.publish(4);
    expect(await key.grant()).toMatchObject({ messageIds: [first, second], paces: false, nextInMs: null });
    expect((await key.grant()).messageIds).toEqual([]);
    expect(await key.release(second)).toMatchObject({ messageIds: [third], paces: false });
    expect(await key.release(first)).toMatchObject({ messageIds: [fourth], paces: false });
  });

  test('what was granted and not yet dispatched counts in the window in which it is dispatched', async () => {
    const key = await keyWith({ rate: 3, parallelism: 10 });
    const ids = await key.publish(9);
    expect((await key.grant()).messageIds).toEqual(ids.slice(0, 3));
    await key.letTimePass(61); // no worker took them up within their window
    await database.asOwner(
      `UPDATE flow_control_queue SET lease_until = now() + interval '1 hour' WHERE granted_at IS NOT NULL`,
    );
    expect((await key.grant('pacer')).messageIds).toEqual([]);
    for (const id of ids.slice(0, 3)) expect(await key.claim(id)).toBe(true);
    expect((await key.grant('pacer')).messageIds).toEqual([]);
    expect(await key.read()).toMatchObject({ windowCount: 3 });
    await key.letTimePass(60);
    expect((await key.grant('pacer')).messageIds).toEqual(ids.slice(3, 6));
  });

  test('a lower rate holds also what was granted under the old one, and gives it back in its place', async () => {
    const key = await keyWith({ rate: 3 });
    const ids = await key.publish(4);
    await key.grant();
    await key.change({ rate: { rate: 1, periodSeconds: 60 } });
    expect(await key.claim(ids[0] ?? '')).toBe(true);
    expect(await key.claim(ids[1] ?? '')).toBe(false);
    await key.release(ids[1] ?? '', { how: 'returned' });
    await key.release(ids[2] ?? '', { how: 'returned' });
    expect(await key.read()).toMatchObject({ waiting: 3, windowCount: 1 });
    await key.letTimePass(60);
    expect((await key.grant('pacer')).messageIds).toEqual([ids[1]]);
  });

  test('a key without limits has the installation’s parallelism, and hands many over to its pacer', async () => {
    const key = await keyWith({});
    await key.publish(PARALLELISM_MAX + 50);
    expect(await key.grant()).toMatchObject({ messageIds: { length: 10 }, paces: true, nextInMs: 0 });
    let granted = 10;
    for (;;) {
      const { messageIds, nextInMs } = await key.grant('pacer');
      granted += messageIds.length;
      if (nextInMs === null) break;
      expect(nextInMs).toBe(0);
    }
    expect(granted).toBe(PARALLELISM_MAX);
  });

  test('order: by due time, then as published; a retry stands at its time', async () => {
    const key = await keyWith({ parallelism: 1 });
    const [first = '', second = ''] = await key.publish(2);
    const [later = ''] = await key.publish(1, new Date(Date.now() + 30_000));
    expect((await key.grant()).messageIds).toEqual([first]);
    expect((await key.release(first, { how: 'retried', againInMs: 10_000 }))?.messageIds).toEqual([second]);
    expect(await key.release(second)).toMatchObject({ messageIds: [], paces: true });
    await key.letTimePass(31);
    expect((await key.grant('pacer')).messageIds).toEqual([first]);
    expect((await key.release(first))?.messageIds).toEqual([later]);
  });
});

describe('what holds a key', () => {
  test('a pause holds granted messages too, and resuming lets them through in order', async () => {
    const key = await keyWith({ parallelism: 2 });
    const ids = await key.publish(3);
    await key.grant();
    await key.change({ paused: true });
    expect(await key.claim(ids[0] ?? '')).toBe(false);
    for (const id of ids.slice(0, 2)) expect((await key.release(id, { how: 'returned' }))?.messageIds).toEqual([]);
    ids.push(...(await key.publish(1)));
    expect(await key.grant()).toMatchObject({ messageIds: [], paces: false, nextInMs: null });
    expect(await key.read()).toMatchObject({ waiting: 4, inFlight: 0 });
    expect((await key.change({ paused: false })).messageIds).toEqual(ids.slice(0, 2));
  });

  test('Retry-After holds the whole key, and the longest one counts', async () => {
    const key = await keyWith({ parallelism: 3 });
    const [first = '', second = '', third = '', fourth = ''] = await key.publish(4);
    await key.grant();
    expect(await key.claim(first)).toBe(true);
    const held = await key.release(first, { how: 'retried', againInMs: 40_000, holdMs: 40_000 });
    expect(held).toMatchObject({ messageIds: [], paces: true });
    expect(held?.nextInMs).toBeGreaterThan(20_000);
    // Granted before, and not dispatched yet: the destination asked for rest.
    expect(await key.claim(second)).toBe(false);
    await key.release(second, { how: 'returned' });
    await key.release(third, { how: 'ended', holdMs: 1_000 });
    await key.letTimePass(2);
    expect(await key.grant('pacer')).toMatchObject({ messageIds: [] });
    await key.letTimePass(39);
    expect((await key.grant('pacer')).messageIds).toEqual([second, fourth, first]);
  });

  test('nothing is granted while the environment is halted', async () => {
    const key = await keyWith({});
    const ids = await key.publish(1);
    const { environmentId } = key.tenant;
    const actor = { type: 'user', id: null } as const;
    const inEnvironment: typeof database.db.withEnvironment = (...args) => database.db.withEnvironment(...args);
    await inEnvironment(key.tenant, (tx) => haltEnvironment(tx, environmentId, { reason: 'an incident', actor }));
    expect(await key.grant()).toMatchObject({ messageIds: [], nextInMs: null });
    await inEnvironment(key.tenant, (tx) => resumeEnvironment(tx, environmentId));
    expect((await key.grant()).messageIds).toEqual(ids);
  });

  test('a reset of the rate lets the next ones through at once', async () => {
    const key = await keyWith({ rate: 1, parallelism: 5 });
    const [first = '', second = ''] = await key.publish(2);
    await key.grant();
    await key.claim(first);
    expect((await key.grant()).messageIds).toEqual([]);
    expect((await key.change({ resetsWindow: true })).messageIds).toEqual([second]);
    expect(await key.claim(second)).toBe(true);
  });
});

describe('leases', () => {
  test('of a worker that was killed while it sent comes back, and the message is found by the sweep', async () => {
    const key = await keyWith({ parallelism: 1 });
    const [first = '', second = ''] = await key.publish(2);
    await key.grant();
    expect(await key.claim(first, 30_000)).toBe(true);
    await key.letTimePass(10);
    expect((await key.grant()).messageIds).toEqual([]);
    await key.letTimePass(20);
    expect((await key.grant()).messageIds).toEqual([second]);
    const { rows } = await database.db.directory.raw<{ rows: { id: string }[] }>(
      null,
      `SELECT id FROM find_lost_flow_control_leases(interval '30 seconds', '', 1000)`,
    );
    expect(rows.map(({ id }) => id)).toContain(first);
  });

  test('of a message that nobody took up goes back into its place; a late worker sends nothing', async () => {
    const key = await keyWith({ parallelism: 1 });
    const [first = ''] = await key.publish(2);
    await key.grant();
    await key.letTimePass(121);
    expect(await key.claim(first)).toBe(false);
    expect((await key.grant()).messageIds).toEqual([first]);
    expect(await key.claim(first)).toBe(true);
    expect(await key.claim(first)).toBe(false); // a second execution
  });

  test('a message that is cancelled while it is granted gives its slot to the next; one that waits leaves', async () => {
    const key = await keyWith({ parallelism: 1, rate: 2 });
    const [first = '', second = '', third = ''] = await key.publish(3);
    await key.grant();
    expect((await key.release(second))?.messageIds).toEqual([]);
    expect((await key.release(first))?.messageIds).toEqual([third]);
    expect(await key.release(first)).toBeNull();
    expect(await key.read()).toMatchObject({ windowCount: 0, inFlight: 1, waiting: 0 });
  });
});

describe('the pacer', () => {
  test('is told once for a time, and again only where the time comes forward or it is overdue', async () => {
    const key = await keyWith({});
    await key.publish(1, new Date(Date.now() + 60_000));
    expect(await key.grant()).toMatchObject({ paces: true });
    await key.publish(1, new Date(Date.now() + 90_000));
    expect(await key.grant()).toMatchObject({ paces: false });
    await key.publish(1, new Date(Date.now() + 30_000));
    const sooner = await key.grant();
    expect(sooner).toMatchObject({ paces: true });
    expect(sooner.nextInMs).toBeLessThan(30_001);
    expect((await key.grant('pacer')).paces).toBe(false);
    await key.letTimePass(10);
    expect((await key.grant()).paces).toBe(false);
    await key.letTimePass(26);
    const late = await key.grant();
    expect(late.messageIds).toHaveLength(1);
    expect(late.paces).toBe(true); // nobody came when it was time
  });

  test('ends by its own look alone; a newcomer after that look starts it again', async () => {
    const key = await keyWith({ rate: 1 });
    const [only = ''] = await key.publish(1);
    await key.grant();
    await key.claim(only);
    await key.publish(1);
    expect((await key.grant()).paces).toBe(true);
    await key.letTimePass(60);
    expect(await key.grant('pacer')).toMatchObject({ nextInMs: null });
    await key.publish(1);
    expect((await key.grant()).paces).toBe(true);
  });
});

test('a key with messages is not deleted, also where the first one is published meanwhile', async () => {
  const key = await keyWith({});
  const remove = () => database.db.withEnvironment(key.tenant, (tx) => deleteKey(tx, key.id));
  const [only = ''] = await key.publish(1);
  await expect(remove()).rejects.toMatchObject({ code: 'CONFLICT' });
  await key.release(only);
  await remove();
  await expect(key.publish(1)).rejects.toThrow(/flow_control_queue_key/);
  await expect(key.grant()).resolves.toMatchObject({ messageIds: [] });
});
