import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { announceSettlement } from '../../../db/invocations/changes.ts';
import { type Announcement, Announcer } from '../../../db/announcements/announcer.ts';
import { NotificationListener } from '../../../db/announcements/notification-listener.ts';
import { LOOK_MS, SettlementHub } from '../../../db/announcements/settlement-hub.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

const settled = (payload: string): Announcement => ({ channel: 'invocation_settled', payload });

describe('notifications after the commit', () => {
  let database: TestDatabase;
  let listener: NotificationListener;
  const heard: string[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    listener = new NotificationListener({
      url: database.applicationUrl,
      applicationName: 'announcer-listener',
      onError: () => undefined,
    });
    listener.listen('invocation_settled', (payload) => heard.push(payload));
    await listener.start();
  });
  afterAll(async () => {
    await listener.close();
    await database.close();
  });

  test('are sent once it is made, and not where the transaction is rolled back', async () => {
    const { db, tenant } = database;
    const failing = db.withEnvironment(tenant, async (tx) => {
      announceSettlement(tx, 'inv_rolled_back');
      await tx.raw(null, 'SELECT 1');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await db.withEnvironment(tenant, async (tx) => {
      announceSettlement(tx, 'inv_1');
      await tx.raw(null, 'SELECT 1');
      expect(heard).toEqual([]);
    });
    await expect.poll(() => heard).toEqual([`${database.tenant.workspaceId}/${database.tenant.environmentId}/inv_1`]);
  });
});

describe('an announcer', () => {
  test('sends in one statement what comes while another is under way', async () => {
    const batches: string[][] = [];
    let end: () => void = () => undefined;
    const announcer = new Announcer((announcements) => {
      batches.push(announcements.map(({ payload }) => payload));
      return batches.length === 1 ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve();
    });
    for (const payload of ['a', 'b', 'c']) announcer.send([settled(payload)]);
    expect(batches).toEqual([['a']]);
    end();
    await announcer.flush();
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  test('loses what the database does not take, and sends what comes after it', async () => {
    const sent: string[] = [];
    const announcer = new Announcer(([one]) => {
      if (one?.payload === 'lost') return Promise.reject(new Error('the database is away'));
      sent.push(one?.payload ?? '');
      return Promise.resolve();
    });
    announcer.send([settled('lost')]);
    announcer.send([settled('next')]);
    await announcer.flush();
    expect(sent).toEqual(['next']);
  });
});

test('who waits looks again by itself, because a notification may be lost with its process', async () => {
  vi.useFakeTimers();
  try {
    const hub = new SettlementHub({ listen: () => () => false, onGap: () => () => false });
    const waits = [hub.wait('inv_1', 60_000), hub.poll('workspace', 'apr_1', 60_000)];
    const short = hub.wait('inv_1', LOOK_MS);
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(await Promise.all(waits)).toEqual(['notified', 'notified']);
    expect(await short).toBe('timeout');
    hub.close();
    expect(await hub.wait('inv_1', 60_000)).toBe('timeout');
  } finally {
    vi.useRealTimers();
  }
});
