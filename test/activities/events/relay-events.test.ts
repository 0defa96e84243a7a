import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { keepRelaying, relayEvents } from '../../../activities/events/relay-events.ts';
import { startFollowUps } from '../../../activities/events/start-follow-ups.ts';
import { lockRaisedEvents } from '../../../db/events/directory.ts';
import type { Tenant } from '../../../db/client.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { PLATFORM_EVENT_TYPES } from '../../../domain/events/event-types.ts';
import { subscribeToService } from '../../api/events/support.ts';
import { plantRaised } from '../../db/events/plant-raised.ts';
import { EXAMPLES } from '../../domain/events/snapshots.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { TEST_TIMEOUT_MS } from '../../harness/patience.ts';

/** The outbox of platform events, and the relay that empties it. */

const database = await createTestDatabase();
beforeEach(() => database.asOwner('DELETE FROM raised_events'));

const inOutbox = async (): Promise<string[]> =>
  (await database.asOwner<{ type: string }>('SELECT type FROM raised_events ORDER BY id')).map(({ type }) => type);
const published = async (): Promise<string[]> =>
  (await database.asOwner<{ type: string }>('SELECT type FROM events ORDER BY type')).map(({ type }) => type);
const plant = (types: readonly string[], tenant = database.tenant) => plantRaised(database, types, tenant);

function relaying() {
  const fannedOut: string[] = [];
  const lines: { level: number; msg: string }[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
  const fanOutEvent = ({ eventId }: { eventId: string }): Promise<void> => {
    fannedOut.push(eventId);
    return Promise.resolve();
  };
  const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
  const nothing = () => Promise.resolve();
  const starters = { fanOutEvent, wakeMessage: nothing, sendEmail: nothing };
  const deps = { db: database.db, logger, vault, pagesUrl: null, ...starters };
  return { deps, fannedOut, lines };
}

describe('the outbox', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is relayed to nobody where nobody subscribes', async () => {
    await plant(PLATFORM_EVENT_TYPES);
    const { deps, fannedOut } = relaying();
    await relayEvents(deps);
    expect(await inOutbox()).toEqual([]);
    expect([await published(), fannedOut]).toEqual([[], []]);
  });

  test('is published where somebody subscribes: each event once, and fanned out', async () => {
    await subscribeToService(database);
    await plant(PLATFORM_EVENT_TYPES);
    const { deps, fannedOut } = relaying();
    await relayEvents(deps);
    await relayEvents(deps);
    expect(await inOutbox()).toEqual([]);
    expect((await published()).toSorted()).toEqual([...PLATFORM_EVENT_TYPES].toSorted());
    expect(new Set(fannedOut).size).toBe(PLATFORM_EVENT_TYPES.length);
    await database.asOwner('DELETE FROM events');
  });

  test('gives up no event because of one that cannot be published: that one waits for a minute', async () => {
    await plant(['action.created', 'not a type', 'action.updated']);
    const { deps, lines } = relaying();
    await relayEvents(deps);
    expect(await published()).toEqual(['action.created', 'action.updated']);
    expect(await inOutbox()).toEqual(['not a type']);
    expect(lines.filter(({ level }) => level === 50)).toHaveLength(1);
    await relayEvents(deps);
    expect(lines.filter(({ level }) => level === 50)).toHaveLength(1);
    await database.asOwner('UPDATE raised_events SET look_again_at = now(), type = $1, snapshot = $2', [
      'action.archived',
      EXAMPLES['action.archived'][0],
    ]);
    await relayEvents(deps);
    expect(await inOutbox()).toEqual([]);
    expect(await published()).toEqual(['action.archived', 'action.created', 'action.updated']);
    await database.asOwner('DELETE FROM events');
  });

  test('is relayed by several processes at once: what one has locked, the others pass over', async () => {
    await plant(['action.created', 'action.updated']);
    const { deps } = relaying();
    await database.db.withEnvironment(database.tenant, async (tx) => {
      expect(await lockRaisedEvents(tx, 1)).toMatchObject([{ type: 'action.created' }]);
      await relayEvents(deps);
      expect(await inOutbox()).toEqual(['action.created']);
    });
    await relayEvents(deps);
    expect(await inOutbox()).toEqual([]);
  });

  test('of an environment that has many events holds up nobody: the others come after one page of it', async () => {
    const { development: other } = await database.anotherWorkspace();
    const many = Array.from({ length: 1_050 }, () => 'message.delivered');
    await plant(many);
    await plant(['environment.halted'], other);
    const pages = vi.spyOn(database.db, 'withEnvironment');
    await relayEvents(relaying().deps);
    const relayed = pages.mock.calls.map(([{ environmentId }]) => environmentId);
    pages.mockRestore();
    expect(await inOutbox()).toEqual([]);
    expect(relayed.filter((id) => id !== other.environmentId).length).toBeGreaterThan(10);
    expect(relayed.indexOf(other.environmentId)).toBeLessThanOrEqual(1);
    await database.asOwner('DELETE FROM events');
  });

  test('holds up nobody while Temporal is away: what follows is tried a few times in a round, and left to the sweep', async () => {
    await plant(Array.from({ length: 150 }, () => 'action.created'));
    const { deps, lines } = relaying();
    let tries = 0;
    const fanOutEvent = (): Promise<void> => {
      tries++;
      return Promise.reject(new Error('Temporal is away'));
    };
    await relayEvents({ ...deps, fanOutEvent });
    expect(await inOutbox()).toEqual([]);
    expect(await published()).toHaveLength(150);
    expect(tries).toBe(40);
    expect(lines.filter(({ msg }) => msg.startsWith('Temporal is away'))).toHaveLength(2);
    await database.asOwner('DELETE FROM events');
  });

  test('is followed environment by environment in turn: the first of each, then the second of each', async () => {
    const started: string[] = [];
    const followUps = ['a', 'b'].map((of) =>
      [1, 2].map((number) => {
        const name = `${of}${number}`;
        return { ids: { name }, start: () => Promise.resolve(void started.push(name)) };
      }),
    );
    await startFollowUps(relaying().deps, followUps);
    expect(started).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test('of several environments are fanned out in turn', async () => {
    const other = database.tenants.staging;
    await subscribeToService({ asOwner: database.asOwner.bind(database), tenant: other });
    for (const tenant of [database.tenant, other]) await plant(Array(3).fill('action.created'), tenant);
    const order: string[] = [];
    const fanOutEvent = ({ environmentId }: Tenant) => Promise.resolve(void order.push(environmentId));
    await relayEvents({ ...relaying().deps, fanOutEvent });
    const [first, second] = order;
    expect(new Set([first, second])).toEqual(new Set([database.tenant.environmentId, other.environmentId]));
    expect(order).toEqual([first, second, first, second, first, second]);
    await database.asOwner('DELETE FROM events');
  });

  test('keeps what a relay that is stopped has not begun; one that waits stops at once', async () => {
    await plant(['action.created']);
    const { deps } = relaying();
    await relayEvents(deps, AbortSignal.abort());
    expect(await inOutbox()).toEqual(['action.created']);
    await keepRelaying(deps, { intervalMs: 2 * TEST_TIMEOUT_MS }).stop();
    expect(await inOutbox()).toEqual(['action.created']);
  });
});
