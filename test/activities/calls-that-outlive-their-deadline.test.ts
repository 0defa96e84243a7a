import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { plainMessage } from '../db/messages/plain-message.ts';
import { insertMessages } from '../../db/messages/insert-messages.ts';
import { createDocumentFetcher } from '../../activities/adapters/http-request/fetch-document.ts';
import { dial } from '../../activities/adapters/http-request/dial.ts';
import { systemResolve } from '../../activities/adapters/http-request/resolve.ts';
import { Watchdog, type WatchedKind } from '../../activities/adapters/watchdog.ts';
import { inspectTarget } from '../../activities/previews/inspect-target.ts';
import { readObservationWork } from '../../db/previews/drafts.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../domain/egress.ts';
import { newId } from '../../domain/ids.ts';
import { ActivityWorld, adapterThat } from './invocations/world.ts';
import { attemptDue } from './messages/attempts.ts';

/** The watchdog behind the activities: a call whose own deadline was lost ends, its record says so, and it holds nothing more. */

const GRACE_MS = 50;
const TIMEOUT_MS = 100;

let isClosed: Promise<unknown>;
const world = await ActivityWorld.start();
const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(async () => {
  server.close();
});

/** A call that has lost its deadline: it holds a connection, and neither its signal nor a timer ends it. */
async function hang(): Promise<never> {
  isClosed = once(server, 'connection').then(([socket]) => once((socket as Socket).resume(), 'close'));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { signal } = new AbortController();
  await dial(url, { egressAllow: parseEgressAllow(LOOPBACK_EGRESS), resolve: systemResolve, signal });
  return new Promise(() => undefined);
}

function watched(graceMs = GRACE_MS) {
  const logged: unknown[][] = [];
  const logger = { error: (...line: unknown[]): void => void logged.push(line) };
  const watchdog = new Watchdog({ logger, graceMs, intervalMs: 5 });
  const figuresOf = (kind: WatchedKind) => watchdog.figures().find((one) => one.kind === kind);
  return { watchdog, logged, figuresOf };
}

describe('a dispatch that outlives its deadline by the grace', () => {
  test('is unknown: its socket is closed, its place free, the log and the metric say so', async () => {
    const { watchdog, logged, figuresOf } = watched();
    const { adapterFor, sent } = adapterThat(hang);
    const ref = await world.ready({ definition: { timeoutMs: TIMEOUT_MS } });
    const { dispatchEffect } = world.activities({ adapterFor, watchdog });
    const dispatched = await dispatchEffect({ ...ref, settles: true });
    watchdog.close();
    expect(dispatched).toMatchObject({ seen: 'settled', state: { status: 'unknown', stage: 'reconciling' } });
    await isClosed;
    expect(sent).toHaveLength(1);
    const ids = { kind: 'dispatch', invocationId: ref.invocationId, timeoutMs: TIMEOUT_MS, sockets: 1 };
    expect(logged).toEqual([[expect.objectContaining(ids), 'a call outlived its deadline: the watchdog ended it']]);
    expect(figuresOf('dispatch')).toMatchObject({ ended: 1, inFlight: 0 });
    expect(await world.database.asOwner('SELECT 1 FROM lane_places')).toEqual([]);
  });
});

describe('a delivery that outlives its deadline by the grace', () => {
  test('is tried again: its socket is closed, its place free, the log and the metric say so', async () => {
    const { watchdog, logged, figuresOf } = watched();
    const messageId = newId('message');
    await world.transaction((tx) =>
      insertMessages(tx, [plainMessage({ id: messageId, maxRetries: 3, timeoutSeconds: 1 })]),
    );
    await attemptDue(world, { sendRequest: hang, watchdog });
    watchdog.close();
    await isClosed;
    expect(logged).toEqual([
      [expect.objectContaining({ kind: 'delivery', messageId, timeoutMs: 1_000, sockets: 1 }), expect.any(String)],
    ]);
    expect(figuresOf('delivery')).toMatchObject({ ended: 1 });
    expect(
      await world.database.asOwner(
        'SELECT a.error, q.state FROM message_attempts a JOIN lane_queue q USING (message_id) WHERE a.message_id = $1',
        [messageId],
      ),
    ).toEqual([{ error: expect.stringContaining('outlived its deadline') as string, state: 'timed' }]);
  });
});

describe('a read at a provider that outlives its deadline by the grace', () => {
  test('of an effect: proves nothing, its socket is closed, its place free, the log and the metric say so', async () => {
    const { watchdog, logged, figuresOf } = watched();
    const { adapterFor } = adapterThat(() => Promise.reject(new Error('the answer was lost')));
    const ref = await world.ready({ definition: { timeoutMs: TIMEOUT_MS } });
    await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
    const { readBackEffect } = world.activities({
      adapterFor: () => ({ ...adapterFor(), readBack: hang }),
      watchdog,
    });
    expect(await readBackEffect(ref)).toEqual({ impliedOutcome: 'unknown' });
    watchdog.close();
    await isClosed;
    const ids = { kind: 'provider_read', effectId: ref.effectId, timeoutMs: TIMEOUT_MS, sockets: 1 };
    expect(logged).toEqual([[expect.objectContaining(ids), expect.any(String)]]);
    expect(figuresOf('provider_read')).toMatchObject({ ended: 1 });
    expect(await world.database.asOwner('SELECT 1 FROM lane_places')).toEqual([]);
  });

  test('of a target: is unavailable, its socket is closed, the log says so', async () => {
    const { watchdog, logged } = watched();
    const { adapterFor } = adapterThat(() => Promise.reject(new Error('nothing is sent here')));
    const { workspaceId, environmentId, invocationId } = await world.admit();
    const work = await world.transaction((tx) => readObservationWork(tx, invocationId));
    const inspected = await inspectTarget(
      world.dependencies({ adapterFor: () => ({ ...adapterFor(), inspect: hang }), watchdog }),
      { workspaceId, environmentId },
      work,
      { retryDelaysMs: [], timeoutMs: TIMEOUT_MS },
    );
    watchdog.close();
    expect(inspected).toEqual({ kind: 'unavailable', reason: 'the read broke off on our side' });
    await isClosed;
    const ids = { kind: 'provider_read', invocationId, timeoutMs: TIMEOUT_MS, sockets: 1 };
    expect(logged).toEqual([[expect.objectContaining(ids), expect.any(String)]]);
  });
});

describe('the fetch of an OpenAPI description that the watchdog ends', () => {
  test('is refused with the reason, and its socket is closed', async () => {
    // The fetch keeps its own deadline, which cannot be taken away: the watchdog looks long before it.
    const timeoutMs = 60_000;
    const { watchdog, logged, figuresOf } = watched(TIMEOUT_MS - timeoutMs);
    isClosed = once(server, 'connection').then(([socket]) => once((socket as Socket).resume(), 'close'));
    const fetchDocument = createDocumentFetcher({
      egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
      watchdog,
      timeoutMs,
    });
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fetched = await fetchDocument(`http://${host}/`, 'workspace');
    watchdog.close();
    expect(fetched).toEqual({
      kind: 'refused',
      message: 'was not fetched: the import_fetch outlived its deadline and was ended',
    });
    await isClosed;
    expect(logged).toEqual([
      [
        expect.objectContaining({ kind: 'import_fetch', workspaceId: 'workspace', host, timeoutMs }),
        expect.any(String),
      ],
    ]);
    expect(figuresOf('import_fetch')).toMatchObject({ ended: 1 });
  });
});
