import { describe, expect, test } from 'vitest';
import { FAN_OUT_PAGE_SIZE } from '../../domain/events/events.ts';
import { newId } from '../../domain/ids.ts';
import { eventWorkflowId } from '../../temporal/events/fan-out-event.ts';
import { startDestination } from '../api/messages/support.ts';
import { inForm } from './form.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/** Platform events across SIGKILLs: of the API between a change and its reply, of the worker between a change and its delivery. */

const CHANGES = inForm({ short: 12, full: 200 });
/** In each the worker dies while changes go on. */
const ROUNDS = inForm({ short: ['second'], full: ['second', 'third', 'fourth'] });
const SUBSCRIPTIONS = inForm({ short: 1_000, full: 10_000 });
const TIMEOUT_MS = inForm({ short: 420_000, full: 1_800_000 });
/** As in production: soon after a worker is lost another one takes up its activities. One that only stands still delivers twice, no more. */
const WORKER = { HEARTBEAT_TIMEOUT_SECONDS: '10' };

const [processes, destination] = await Promise.all([SeparateProcesses.start(), startDestination()]);
const temporal = await processes.temporalClient();
const topicId = newId('topic');
await processes.database.asOwner(`INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, 'service')`, [
  topicId,
  processes.database.tenant.environmentId,
]);
interface Subscribed {
  path: string;
  eventTypes: readonly string[];
  enabled: boolean;
}
/** Each with a path of its own. Returns their ids, in the same order. */
async function subscribe(subscriptions: readonly Subscribed[]): Promise<string[]> {
  const ids = subscriptions.map(() => newId('subscription'));
  await processes.database.asOwner(
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types, enabled)
     SELECT s.id, $1, $2, true, $3 || (s.given ->> 'path'), ARRAY(SELECT json_array_elements_text(s.given -> 'eventTypes')),
       (s.given ->> 'enabled')::boolean FROM unnest($4::text[], $5::json[]) s (id, given)`,
    [
      processes.database.tenant.environmentId,
      topicId,
      destination.baseUrl,
      ids,
      subscriptions.map((subscription) => JSON.stringify(subscription)),
    ],
  );
  return ids;
}

const createAction = (api: ApiProcess, name: string) =>
  api.post('/api/v2/actions', {
    name,
    adapter: { type: 'http.request', config: { method: 'POST', url: destination.baseUrl } },
  });
const actionsDelivered = (path: string): string[] =>
  destination.on(path).map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);

describe('SIGKILL', { timeout: 2 * TIMEOUT_MS }, () => {
  test('between a change and its delivery loses no platform event, and raises none for a change that was not made', async () => {
    const [subscriptionId] = await subscribe([{ path: '/changes', eventTypes: ['action.created'], enabled: true }]);
    let api = await processes.startApi();
    const acknowledged: string[] = [];
    const change = async (name: string): Promise<void> => {
      const reply = await createAction(api, name).catch(() => null);
      if (reply?.status === 201) acknowledged.push(name);
    };
    // The API dies among its replies. No worker runs: what is raised is in the outbox alone.
    const changing = Array.from({ length: CHANGES }, (_, n) => change(`first.${n}`));
    await expect.poll(() => acknowledged.length, { timeout: TIMEOUT_MS, interval: 5 }).toBeGreaterThan(0);
    await api.program.end('SIGKILL');
    await Promise.all(changing);
    api = await processes.startApi();
    let worker = await processes.startWorker(WORKER);
    // The worker dies while it relays, fans out and delivers; changes go on meanwhile.
    for (const round of ROUNDS) {
      const before = destination.on('/changes').length;
      const more = Array.from({ length: CHANGES }, (_, n) => change(`${round}.${n}`));
      const isUnderWay = (): boolean => destination.on('/changes').length > before;
      await expect.poll(isUnderWay, { timeout: TIMEOUT_MS, interval: 5 }).toBe(true);
      await worker.end('SIGKILL');
      await Promise.all(more);
      worker = await processes.startWorker(WORKER);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS.length * CHANGES + 1);
    const made = await processes.database.asOwner<{ name: string }>('SELECT name FROM actions');
    const names = new Set(made.map(({ name }) => name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    await expect
      .poll(() => new Set(actionsDelivered('/changes')), { timeout: TIMEOUT_MS, interval: 200 })
      .toEqual(names);
    // One event of each change, although some deliveries were sent more than once.
    const [events] = await processes.database.asOwner(
      `SELECT count(*)::int AS events, count(DISTINCT data ->> 'name')::int AS changes FROM events`,
    );
    expect(events).toEqual({ events: names.size, changes: names.size });
    await worker.end('SIGKILL');
    await processes.database.asOwner('UPDATE event_subscriptions SET enabled = false WHERE id = $1', [subscriptionId]);
  });

  test(`of the worker, twice, while one event goes to ${SUBSCRIPTIONS} subscriptions: each that matches gets it, as one message, and no other`, async () => {
    const kinds: [matches: boolean, eventTypes: string[], enabled: boolean][] = [
      [true, ['*'], true],
      [false, ['action.updated'], true],
      [true, ['action.created'], true],
      [false, ['action'], true],
      [true, ['action.*'], true],
      [false, ['action.created.*'], true],
      [true, ['secret.*', 'action.created'], true],
      [false, ['*'], false],
      [false, ['ACTION.CREATED', 'actions.*'], true],
    ];
    const wanted = Array.from({ length: SUBSCRIPTIONS }, (_, n) => {
      const [matches, eventTypes, enabled] = kinds[n % kinds.length] ?? [false, [], false];
      return { path: `/subscribed/${n}`, matches, eventTypes, enabled };
    });
    const ids = await subscribe(wanted);
    const matching = wanted.flatMap(({ matches }, n) => (matches ? [ids[n] ?? ''] : []));
    let worker = await processes.startWorker(WORKER);
    expect((await createAction(await processes.startApi(), 'fanned.out')).status).toBe(201);
    const made = async (): Promise<{ id: string; status: string; n: number } | undefined> => {
      const [row] = await processes.database.asOwner<{ id: string; status: string; n: number }>(
        `SELECT id, status, (SELECT count(*)::int FROM messages m WHERE m.event_id = v.id) AS n FROM events v
         WHERE data ->> 'name' = 'fanned.out'`,
      );
      return row;
    };
    for (const share of [0.1, 0.5]) {
      const isThere = async () => ((await made())?.n ?? 0) >= share * matching.length;
      await expect.poll(isThere, { timeout: TIMEOUT_MS, interval: 20 }).toBe(true);
      await worker.end('SIGKILL');
      worker = await processes.startWorker(WORKER);
    }
    await expect.poll(async () => (await made())?.status, { timeout: TIMEOUT_MS }).toBe('fanned_out');
    const event = await made();
    const messages = await processes.database.asOwner<{ id: string; subscription_id: string }>(
      'SELECT id, subscription_id FROM messages WHERE event_id = $1',
      [event?.id],
    );
    expect(messages.map(({ subscription_id: id }) => id).toSorted()).toEqual(matching.toSorted());

    const unsent = `SELECT count(*)::int AS n FROM messages WHERE event_id = $1 AND status <> 'delivered'`;
    await expect
      .poll(() => processes.database.asOwner(unsent, [event?.id]), { timeout: TIMEOUT_MS, interval: 500 })
      .toEqual([{ n: 0 }]);
    const messageOf = new Map(messages.map(({ id, subscription_id: of }) => [of, id]));
    const seen = new Map<string, Set<unknown>>();
    for (const { path, headers } of destination.deliveries) {
      if (!path.startsWith('/subscribed/')) continue;
      seen.set(path, (seen.get(path) ?? new Set()).add(headers['webhook-id']));
    }
    const expected = wanted.flatMap(({ path, matches }, n): [string, Set<unknown>][] =>
      matches ? [[path, new Set([messageOf.get(ids[n] ?? '')])]] : [],
    );
    expect(seen).toEqual(new Map(expected));
    // A page costs a few events of history, however many subscriptions it has, and a try that was lost costs none.
    const { historyLength } = await temporal.workflow.getHandle(eventWorkflowId(event?.id ?? '')).describe();
    expect(historyLength).toBeLessThan(10 * (SUBSCRIPTIONS / FAN_OUT_PAGE_SIZE + 2));
  });
});
