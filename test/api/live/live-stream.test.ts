import { expect, test } from 'vitest';
import { LiveStream, IDS_OF_A_TOPIC_MAX, type Seen } from '../../../api/live/live-stream.ts';
import { InvalidationHub } from '../../../db/announcements/invalidation-hub.ts';
import type { NotificationHandler } from '../../../db/announcements/notification-listener.ts';

/** A hub that is notified by the test. */
function notified() {
  const handlers = new Map<string, NotificationHandler>();
  const gaps: (() => void)[] = [];
  const hub = new InvalidationHub({
    listen: (channel, handler) => (handlers.set(channel, handler), () => handlers.delete(channel)),
    onGap: (handler) => (gaps.push(handler), () => undefined),
  });
  return {
    hub,
    notify: (channel: string, payload: string) => handlers.get(channel)?.(payload),
    gap: () => gaps.forEach((tell) => tell()),
  };
}

const HOUR_MS = 3_600_000;
const SEEN: Seen = { endsInMs: HOUR_MS, workspaces: [{ id: 'w1', role: 'member' }] };

async function opened(look: () => Promise<Seen | null> = () => Promise.resolve(SEEN), heartbeatMs = HOUR_MS) {
  const gone = new AbortController();
  const notifier = notified();
  const stream = new LiveStream({
    hub: notifier.hub,
    userId: 'usr_a',
    sessionId: 'sis_a',
    look,
    signal: gone.signal,
    heartbeatMs,
  });
  await stream.open();
  const events = stream.events();
  const next = async (): Promise<string> => ((await events.next()).value as string | undefined) ?? 'over';
  expect(await next()).toBe('event: ready\ndata: {}\n\n');
  return { ...notifier, gone, next };
}

test('a burst is told once for each record, and beyond a bound for the topic as a whole', async () => {
  const { notify, next } = await opened();
  for (const id of ['a', 'b', 'a']) notify('approval_changed', `w1/e1/${id}`);
  for (let count = 0; count <= IDS_OF_A_TOPIC_MAX; count++) notify('record_changed', `w1/e1/messages/msg_${count}`);
  notify('record_changed', 'w1//api-keys/key_1');
  expect([await next(), await next(), await next(), await next()]).toEqual([
    'data: {"topic":"approvals","environmentId":"e1","id":"a"}\n\n',
    'data: {"topic":"approvals","environmentId":"e1","id":"b"}\n\n',
    'data: {"topic":"messages","environmentId":"e1"}\n\n',
    'data: {"topic":"api-keys","environmentId":null,"id":"key_1"}\n\n',
  ]);
});

test('where notifications may have been lost it says so, once it has looked at the session', async () => {
  let looks = 0;
  const { gap, next } = await opened(() => Promise.resolve(++looks > 2 ? null : SEEN));
  gap();
  expect(await next()).toBe('data: {"topic":"everything","environmentId":null}\n\n');
  expect(looks).toBe(2);
  gap();
  expect(await next()).toBe('event: end\ndata: {"reason":"session_ended"}\n\n');
  expect(await next()).toBe('over');
});

test('an idle stream beats, and asks the database for nothing', async () => {
  let looks = 0;
  const { next } = await opened(() => (looks++, Promise.resolve(SEEN)), 5);
  for (let beat = 0; beat < 20; beat++) expect(await next()).toBe('event: heartbeat\ndata: {}\n\n');
  expect(looks).toBe(1);
});

test('a database that is away ends no stream; once the session is known to have ended it does', async () => {
  let looks = 0;
  const answers: (() => Promise<Seen | null>)[] = [
    () => Promise.resolve({ ...SEEN, endsInMs: 1 }),
    () => Promise.reject(new Error('away')),
    () => Promise.resolve(null),
  ];
  const { next } = await opened(() => (answers[looks++] ?? answers[2])?.() ?? Promise.resolve(null), 5);
  let last = await next();
  while (last.startsWith('event: heartbeat')) last = await next();
  expect([last, looks]).toEqual(['event: end\ndata: {"reason":"session_ended"}\n\n', 3]);
});

test('the place of a reader who left is given back', async () => {
  const { hub, gone, next } = await opened();
  expect(hub.size).toBe(1);
  const waiting = next();
  gone.abort();
  expect(await waiting).toBe('over');
  expect(hub.size).toBe(0);
});

test('another workspace, another topic and another version are not told', async () => {
  const { notify, next } = await opened();
  notify('approval_changed', 'w2/e2/apr_foreign');
  notify('record_changed', 'w1/e1/secrets/sec_of_admins');
  notify('record_changed', 'w1/e1/of-a-later-version/x');
  notify('invocation_settled', 'inv_of_an_earlier_version');
  notify('invocation_settled', 'w1/e1/inv_1');
  expect(await next()).toBe('data: {"topic":"invocations","environmentId":"e1","id":"inv_1"}\n\n');
  expect(await next()).toBe('data: {"topic":"effects","environmentId":"e1"}\n\n');
});
