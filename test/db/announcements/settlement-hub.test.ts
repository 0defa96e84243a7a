import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotificationListener } from '../../../db/announcements/notification-listener.ts';
import { SettlementHub } from '../../../db/announcements/settlement-hub.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

describe('SettlementHub over a NotificationListener', () => {
  let database: TestDatabase;
  let listener: NotificationListener;
  let hub: SettlementHub;
  const errors: Error[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    listener = new NotificationListener({
      url: database.applicationUrl,
      applicationName: 'hub-listener',
      onError: (error) => void errors.push(error),
    });
    hub = new SettlementHub(listener);
    await listener.start();
  });
  afterAll(async () => {
    hub.close();
    await listener.close();
    await database.close();
  });

  const settle = (id: string): Promise<unknown> => database.asOwner(`SELECT pg_notify('invocation_settled', $1)`, [id]);
  const breakConnection = (): Promise<unknown> =>
    database.asOwner(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hub-listener'`);

  it('wakes those who wait for that invocation, and no others', async () => {
    const waits = [hub.wait('inv_a', PATIENCE_MS), hub.wait('inv_a', PATIENCE_MS)];
    const other = hub.wait('inv_b', 200);
    await settle('inv_a');
    expect(await Promise.all(waits)).toEqual(['notified', 'notified']);
    expect(await other).toBe('timeout');
    expect(hub.waiting).toBe(0);
  });

  it('registers before it returns', async () => {
    const wait = hub.wait('inv_c', PATIENCE_MS);
    expect(hub.waiting).toBe(1);
    await settle('inv_c');
    expect(await wait).toBe('notified');
  });

  it('ends a wait when it is aborted', async () => {
    const gone = new AbortController();
    const wait = hub.wait('inv_d', PATIENCE_MS, gone.signal);
    gone.abort();
    expect(await wait).toBe('aborted');
    expect(await hub.wait('inv_d', PATIENCE_MS, gone.signal)).toBe('aborted');
    expect(hub.waiting).toBe(0);
  });

  it('wakes everyone to look again when the connection breaks, and hears again by itself', async () => {
    errors.length = 0;
    const waits = [hub.wait('inv_e', PATIENCE_MS), hub.wait('inv_f', PATIENCE_MS)];
    await breakConnection();
    expect(await Promise.all(waits)).toEqual(['notified', 'notified']);
    expect(errors.length).toBeGreaterThan(0);
    // The reconnection wakes a waiter that registered while the connection was lost.
    expect(await hub.wait('inv_g', PATIENCE_MS)).toBe('notified');
    await expect.poll(() => listener.connected).toBe(true);
    const wait = hub.wait('inv_h', PATIENCE_MS);
    await settle('inv_h');
    expect(await wait).toBe('notified');
  });

  it('ends the polls of a process that stops at once, and the waits when it closes: also those that begin later', async () => {
    const stopping = new SettlementHub(listener);
    const wait = stopping.wait('inv_i', PATIENCE_MS);
    const poll = stopping.poll('workspace', 'apr_a', PATIENCE_MS);
    stopping.endPolls();
    expect([await poll, await stopping.poll('workspace', 'apr_a', PATIENCE_MS), stopping.waiting]).toEqual([
      'timeout',
      'timeout',
      1,
    ]);
    stopping.close();
    expect([await wait, await stopping.wait('inv_i', PATIENCE_MS), stopping.waiting]).toEqual([
      'timeout',
      'timeout',
      0,
    ]);
  });

  it('does not start where the database is away', async () => {
    const lost = new NotificationListener({
      url: 'postgres://nobody@127.0.0.1:1/none',
      applicationName: 'lost',
      onError: (error) => void errors.push(error),
    });
    await expect(lost.start()).rejects.toThrow(/ECONNREFUSED/);
    await lost.close();
  });
});
