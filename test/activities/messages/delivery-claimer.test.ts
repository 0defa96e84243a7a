import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SendRequest } from '../../../activities/adapters/http-request/send-request.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { DeliveryClaimer } from '../../../activities/messages/delivery-claimer.ts';
import type { Repeated } from '../../../activities/repeat-until-stopped.ts';
import type { Tenant } from '../../../db/client.ts';
import { ensureKeys } from '../../../db/flow-control/changes.ts';
import { claimMessages } from '../../../db/messages/claims.ts';
import { insertMessages, type NewMessage } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { everyCap } from '../../harness/in-flight-caps.ts';
import { withOpenTransaction } from '../../api/harness/open-transaction.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { ActivityWorld, type Loss } from '../invocations/world.ts';
import { answering } from './attempts.ts';

const world = await ActivityWorld.start();
const { tenant } = world.database;
const asOwner: typeof world.database.asOwner = (...statement) => world.database.asOwner(...statement);

const running: Repeated[] = [];
beforeEach(() => asOwner('DELETE FROM lane_queue'));
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())));

/** The claimer of another worker process, with connections of its own. */
function claimer(overrides: Partial<ActivityDependencies>, losses: readonly Loss[] = []) {
  const db = world.losingDatabase(losses);
  const made = new DeliveryClaimer(world.dependencies({ db, ...overrides }), { slots: 50, shutdownGraceMs: 10_000 });
  const runs = made.run();
  running.push(runs);
  return { wake: () => made.wake(tenant), stop: () => runs.stop() };
}

async function accept(...given: Partial<NewMessage>[]): Promise<string[]> {
  return acceptIn(tenant, given);
}
async function acceptIn(environment: Tenant, given: readonly Partial<NewMessage>[]): Promise<string[]> {
  const messages = given.map((members) => plainMessage({ id: newId('message'), ...members }));
  await world.database.db.withEnvironment(environment, (tx) => insertMessages(tx, messages));
  return messages.map(({ id }) => id);
}
const statusesOf = async (ids: readonly string[]): Promise<string[]> => {
  const rows = await asOwner<{ status: string }>('SELECT DISTINCT status FROM messages WHERE id = ANY ($1)', [ids]);
  return rows.map(({ status }) => status);
};
const attemptsOf = async (ids: readonly string[]): Promise<string[]> => {
  const sql = 'SELECT status FROM message_attempts WHERE message_id = ANY ($1) ORDER BY message_id, number';
  return (await asOwner<{ status: string }>(sql, [ids])).map(({ status }) => status);
};

/** Keeps what it is sent, by message, and answers when it is let go. */
function held(): { sendRequest: SendRequest; sent: string[]; letGo: () => void } {
  const sent: string[] = [];
  let letGo = (): void => {};
  const until = new Promise<void>((resolve) => (letGo = resolve));
  const sendRequest: SendRequest = async (...call) => {
    sent.push(call[0].headers['webhook-id'] ?? '');
    await until;
    return answering(200)(...call);
  };
  return { sendRequest, sent, letGo: () => letGo() };
}

describe('a claim', () => {
  test('has its attempt on record before the call', async () => {
    const seen: unknown[] = [];
    const sendRequest: SendRequest = async (...call) => {
      seen.push(
        ...(await asOwner(
          `SELECT m.status, m.attempts, a.number, a.status AS attempt, q.state FROM messages m JOIN message_attempts a ON a.message_id = m.id
           JOIN lane_queue q ON q.message_id = m.id`,
        )),
      );
      return answering(200)(...call);
    };
    const ids = await accept({});
    claimer({ sendRequest }).wake();
    await expect.poll(() => statusesOf(ids)).toEqual(['delivered']);
    expect(seen).toEqual([{ status: 'processing', attempts: 1, number: 1, attempt: 'started', state: 'taken' }]);
  });

  test('of two processes takes each of 500 messages once, and no more at a time than the share of their workspace', async () => {
    const sent: string[] = [];
    const most = { now: 0, ever: 0 };
    const sendRequest: SendRequest = async (...call) => {
      sent.push(call[0].headers['webhook-id'] ?? '');
      most.ever = Math.max(most.ever, ++most.now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      most.now--;
      return answering(200)(...call);
    };
    const crowd = Array.from({ length: 250 }, () => ({}));
    const ids = [...(await acceptIn(tenant, crowd)), ...(await acceptIn(world.database.tenants.staging, crowd))];
    const inFlightCaps = everyCap(20);
    for (const process of [claimer({ sendRequest, inFlightCaps }), claimer({ sendRequest, inFlightCaps })])
      process.wake();
    await expect.poll(() => statusesOf(ids)).toEqual(['delivered']);
    expect(sent.toSorted()).toEqual(ids.toSorted());
    expect(most.ever).toBeLessThanOrEqual(20);
    expect(await attemptsOf(ids)).toEqual(ids.map(() => 'completed'));
  });

  test.each<[string, Loss, attempts: string[]]>([
    ['before its commit', 'before_commit', ['completed']],
    ['after it, so that nobody knows what it took', 'after_commit', ['abandoned', 'completed']],
  ])('whose connection is lost %s leaves no message, and none is sent twice', async (_when, loss, attempts) => {
    const { sendRequest, sent, letGo } = held();
    letGo();
    const ids = await accept({});
    claimer({ sendRequest, heartbeatTimeoutMs: 300 }, [loss]).wake();
    await expect.poll(() => statusesOf(ids)).toEqual(['delivered']);
    expect([sent, await attemptsOf(ids)]).toEqual([ids, attempts]);
  });

  test('takes what Temporal has not handed over for half a minute, away or not, and has the pacer told', async () => {
    const scheduledFor = new Date(Date.now() + 3_600_000);
    const ids = await accept({ scheduledFor }, { scheduledFor }, { scheduledFor });
    const [timed, paced, soon] = ids;
    const dueAgo = (id: string | undefined, state: string, seconds: number): Promise<unknown> =>
      asOwner(`UPDATE lane_queue SET state = $2, due_at = now() - $3 * interval '1 second' WHERE message_id = $1`, [
        id,
        state,
        seconds,
      ]);
    await dueAgo(timed, 'timed', 30);
    await dueAgo(paced, 'paced', 30);
    await dueAgo(soon, 'timed', 1);
    const told: unknown[] = [];
    const { sendRequest, sent, letGo } = held();
    letGo();
    const paceMessages: ActivityDependencies['paceMessages'] = (ref) => {
      told.push(ref);
      return Promise.reject(new Error('Temporal is away'));
    };
    claimer({ sendRequest, paceMessages }); // nobody wakes it
    await expect.poll(() => statusesOf([timed ?? '', paced ?? ''])).toEqual(['delivered']);
    expect(new Set(sent)).toEqual(new Set([timed, paced]));
    expect(told).toContainEqual(tenant);
    expect(await statusesOf([soon ?? ''])).toEqual(['scheduled']);
  });
});

describe('a delivery under way', () => {
  test('keeps its lease while it lasts, however long', async () => {
    const { sendRequest, sent, letGo } = held();
    const ids = await accept({});
    const one = claimer({ sendRequest, heartbeatTimeoutMs: 600 });
    one.wake();
    await expect.poll(() => sent).toEqual(ids);
    claimer({ sendRequest, heartbeatTimeoutMs: 600 }); // looks for lost ones all the time
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    letGo();
    await expect.poll(() => statusesOf(ids)).toEqual(['delivered']);
    expect([sent, await attemptsOf(ids)]).toEqual([ids, ['completed']]);
  });

  test('is waited for by a process that stops, which takes no other', async () => {
    const { sendRequest, sent, letGo } = held();
    const ids = await accept({});
    const one = claimer({ sendRequest });
    one.wake();
    await expect.poll(() => sent).toEqual(ids);
    const stopped = one.stop();
    const later = await accept({});
    one.wake();
    letGo();
    await stopped;
    expect([await statusesOf(ids), await statusesOf(later), sent]).toEqual([['delivered'], ['pending'], ids]);
  });
});

describe('somebody has locked a row of the queue', () => {
  test('whose lease cannot be renewed: that costs no other message its lease, in its environment or in another', async () => {
    const { sendRequest, sent, letGo } = held();
    const { staging } = world.database.tenants;
    const [a = '', neighbour = ''] = await accept({}, {});
    const [b = ''] = await acceptIn(staging, [{}]);
    const db = world.losingDatabase([]);
    const made = new DeliveryClaimer(world.dependencies({ db, sendRequest, heartbeatTimeoutMs: 3_000 }), {
      slots: 50,
      shutdownGraceMs: 10_000,
    });
    running.push(made.run());
    for (const to of [tenant, staging]) made.wake(to);
    await expect.poll(() => sent.toSorted()).toEqual([a, neighbour, b].toSorted());
    const leaseOf = async (): Promise<number> =>
      (
        await asOwner<{ until: number }>(
          'SELECT extract(epoch FROM min(lease_until))::float8 AS until FROM lane_queue WHERE message_id = ANY ($1)',
          [[b, neighbour]],
        )
      )[0]?.until ?? 0;
    await withOpenTransaction(
      world.database,
      'SELECT FROM lane_queue WHERE message_id = $1 FOR UPDATE',
      [a],
      async () => {
        for (let round = 0; round < 2; round++) {
          const before = await leaseOf();
          await expect.poll(leaseOf).toBeGreaterThan(before);
        }
      },
    );
    letGo();
    await expect.poll(() => statusesOf([a, neighbour, b])).toEqual(['delivered']);
    expect(await attemptsOf([b, neighbour])).toEqual(['completed', 'completed']);
  });

  test('that heads the lane of a key: the next claim is not made at once', async () => {
    const id = newId('message');
    await world.database.db.withEnvironment(tenant, async (tx) => {
      const keys = await ensureKeys(tx, [{ key: 'locked', limits: {} }]);
      await insertMessages(tx, [plainMessage({ id, flowControl: { keyId: keys.get('locked') ?? '', key: 'locked' } })]);
    });
    const claim = { most: 10, share: 100, claim: 'c', worker: 'w', leaseMs: 10_000, afterLane: '' };
    await withOpenTransaction(
      world.database,
      'SELECT FROM lane_queue WHERE message_id = $1 FOR UPDATE',
      [id],
      async () => {
        const claimed = await world.database.db.withEnvironment(tenant, (tx) => claimMessages(tx, claim));
        expect(claimed).toMatchObject({ works: [], isLeft: true, isMore: false });
      },
    );
  });
});

test('the pacer of an environment is told of what is late once a minute', async () => {
  const [id] = await accept({ scheduledFor: new Date(Date.now() + 60_000) });
  await asOwner(
    `UPDATE lane_queue SET state = 'timed', has_workflow = true, due_at = now() - interval '1 minute', lease_until = NULL WHERE message_id = $1`,
    [id],
  );
  let told = 0;
  let looks = 0;
  // Temporal is away at first: that tells nobody.
  let failures = 0;
  const paceMessages = (): Promise<void> =>
    failures++ === 0 ? Promise.reject(new Error('Temporal is away')) : Promise.resolve(void told++);
  // Nobody claims it, so that each look finds it again.
  const db = world.losingDatabase([]);
  const made = new DeliveryClaimer(
    world.dependencies({
      db: new Proxy(db, {
        get: (of, name) => {
          if (name === 'directory') looks++;
          const value: unknown = Reflect.get(of, name);
          return name === 'withEnvironment'
            ? () => Promise.reject(new Error('nobody claims'))
            : typeof value === 'function'
              ? value.bind(of)
              : value;
        },
      }),
      paceMessages,
    }),
    { slots: 50, shutdownGraceMs: 1_000 },
  );
  running.push(made.run());
  await expect.poll(() => looks).toBeGreaterThan(4);
  expect([failures > 1, told]).toEqual([true, 1]);
});
