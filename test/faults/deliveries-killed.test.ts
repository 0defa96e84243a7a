import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as PostgresClient, type QueryResultRow } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { call } from '../api/harness/test-api.ts';
import { inForm } from './form.ts';
import { OwnServers, type Part } from './own-servers.ts';

/**
 * Messages to receivers of every kind, while API, worker, Temporal and PostgreSQL are killed in turn: each accepted message is
 * delivered, or ended as failed where its receiver never takes it. None is lost, none is stuck, `webhook-id` is stable.
 */

/** The worker first: Temporal misses its heartbeats while the others are killed. */
const PARTS: readonly Part[] = ['worker', 'temporal', 'api', 'postgres'];
const RETRY_PAUSE_MS = 200;
const STUCK_MS = 240_000;

type Receiver = (response: ServerResponse, times: number) => void;
const answering =
  (status: number, headers: Record<string, string> = {}): Receiver =>
  (response) =>
    response.writeHead(status, headers).end();
/** A receiver that takes the message: at once, or after it refused it. */
const TAKES: Record<string, Receiver> = {
  ok: answering(200),
  flaky: (response, times) => response.writeHead(times < 3 ? 500 : 204).end(),
  busy: (response, times) => (times < 2 ? answering(429, { 'retry-after': '1' }) : answering(200))(response, times),
  huge: (response) => response.writeHead(200).end(Buffer.alloc(1_000_000, 'x')),
};
/** One that never does. */
const REFUSES: Record<string, Receiver> = {
  down: answering(500),
  hang: () => undefined,
  reset: (response) => response.destroy(),
  redirect: answering(302, { location: '/ok?elsewhere' }),
  gone: answering(410),
  unwanted: answering(489),
};
const RECEIVERS = { ...TAKES, ...REFUSES };
const KINDS = Object.keys(RECEIVERS);

/** In each share some batches are published. The first share begins alone, each other one together with a kill. */
const { batchesInShare, batchSize, rounds, endWithinMs } = inForm({
  // One message to each kind of receiver.
  short: { batchesInShare: 1, batchSize: KINDS.length, rounds: 1, endWithinMs: 240_000 },
  full: { batchesInShare: 4, batchSize: 100, rounds: 3, endWithinMs: 1_200_000 },
});
const KILLS = Array.from({ length: rounds }, () => PARTS).flat();

/** The `webhook-id` of each receipt, by the URL that was called. */
const receipts = new Map<string, string[]>();

const receiver = createServer((request, response) => {
  const url = request.url ?? '';
  const ids = receipts.get(url) ?? [];
  receipts.set(url, [...ids, String(request.headers['webhook-id'])]);
  const answer = RECEIVERS[url.slice(1).split('?')[0] ?? ''];
  request.resume().once('end', () => answer?.(response, ids.length + 1));
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { servers, key } = await OwnServers.start();

afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

/** One batch; sent again with its key until it is answered, as a careful caller does. Returns each message's id by its URL. */
async function publishBatch(batch: number): Promise<Map<string, string>> {
  const { port } = receiver.address() as AddressInfo;
  const places = Array.from({ length: batchSize }, (_, n) => `/${KINDS[n % KINDS.length]}?${batch}-${n}`);
  const messages = places.map((place, n) => {
    const maxRetries = (KINDS[n % KINDS.length] ?? '') in TAKES ? 20 : 2;
    return { url: `http://127.0.0.1:${port}${place}`, body: { n }, maxRetries, retryDelay: '500', timeoutSeconds: 2 };
  });
  for (;;) {
    const url = `${servers.baseUrl}/api/v2/messages/batch`;
    const headers = { 'Idempotency-Key': `batch-${batch}` };
    const reply = await call(url, 'POST', { key, body: { messages }, headers }).catch(() => null);
    if (reply?.status === 200) {
      const { data } = reply.json as { data: { messageId: string }[] };
      return new Map(places.map((place, n) => [place, data[n]?.messageId ?? '']));
    }
    if (reply !== null && reply.status < 500 && reply.status !== 409) throw new Error(`refused: ${reply.text}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS)); // the API is being started again
  }
}

interface Row {
  id: string;
  status: string;
  attempts: number;
  isDeadLetter: boolean;
}
async function asOwner<R extends QueryResultRow>(sql: string): Promise<R[]> {
  const client = new PostgresClient({ connectionString: servers.ownerUrl });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

function rows(): Promise<Row[]> {
  return asOwner<Row>(`SELECT id, status, attempts,
    EXISTS (SELECT FROM dead_letters d WHERE d.message_id = m.id) AS "isDeadLetter" FROM messages m`);
}

async function unendedRows(): Promise<Row[]> {
  return (await rows()).filter(({ status }) => !['delivered', 'failed'].includes(status));
}

/** Fails where none of them ends for a while, however many there are: a slow machine may take its time, a stuck message may not. */
async function untilAllEnded(): Promise<void> {
  for (let unended = await unendedRows(); unended.length > 0;) {
    const before = unended;
    const message = `${before.length} have not ended, and no more end: ${JSON.stringify(before.slice(0, 20))}`;
    const left = async (): Promise<number> => {
      unended = await unendedRows();
      return unended.length;
    };
    await expect.poll(left, { timeout: STUCK_MS, interval: 1_000, message }).toBeLessThan(before.length);
  }
}

/** Each accepted message's id, by its URL. */
const accepted = new Map<string, string>();

async function publishShare(share: number): Promise<void> {
  for (let n = 0; n < batchesInShare; n++) {
    for (const [place, id] of await publishBatch(share * batchesInShare + n)) accepted.set(place, id);
  }
}

function receivedOf(share: number): number {
  return [...receipts.keys()].filter((place) => {
    const batch = Number(place.split('?')[1]?.split('-')[0]);
    return Math.floor(batch / batchesInShare) === share;
  }).length;
}

test('every accepted message ends, and was received', { timeout: endWithinMs * 2 }, async () => {
  const publishing = [publishShare(0)];
  for (const [kill, part] of KILLS.entries()) {
    // Each kill meets the deliveries of one share and the publisher of the next.
    await expect.poll(() => receivedOf(kill), { timeout: endWithinMs }).toBeGreaterThanOrEqual(batchSize / 5);
    publishing.push(publishShare(kill + 1));
    await servers.kill(part);
  }
  await Promise.all(publishing);
  expect(accepted.size).toBe(publishing.length * batchesInShare * batchSize);

  await untilAllEnded();
  const byId = new Map((await rows()).map((row) => [row.id, row]));
  // A repeated batch is one batch: nothing was accepted twice.
  expect(byId.size).toBe(accepted.size);
  const wrong = [...accepted].filter(([place, id]) => {
    const kind = place.slice(1).split('?')[0] ?? '';
    const received = receipts.get(place) ?? [];
    const isStable = received.length > 0 && received.every((one) => one === id);
    return !isStable || byId.get(id)?.status !== (kind in TAKES ? 'delivered' : 'failed');
  });
  expect(wrong).toEqual([]);
  // Each attempt is on record before its call: whatever dies in between, no call is made that is not counted.
  const uncounted = [...accepted].filter(
    ([place, id]) => (receipts.get(place) ?? []).length > (byId.get(id)?.attempts ?? 0),
  );
  expect(uncounted).toEqual([]);
  // What failed has its record in the dead-letter queue, and nothing else has.
  expect([...byId.values()].filter(({ status, isDeadLetter }) => isDeadLetter !== (status === 'failed'))).toEqual([]);
  expect([...receipts.keys()].filter((place) => !accepted.has(place))).toEqual([]); // no redirect was followed
});
