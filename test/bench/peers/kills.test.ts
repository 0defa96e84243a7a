import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { killOften } from '../../../bench/peers/kills.ts';
import type { Answer, Peer, Side } from '../../../bench/peers/side.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A peer in this process. `kill` breaks off what is in flight, as a SIGKILL does to a client. */
interface Habits {
  /** What a repeat does after the first call of a key was broken off. */
  repeats: 'knows' | 'calls again';
  reservesAgain?: boolean;
  forgetsRecords?: boolean;
  answersDifferently?: boolean;
}

async function killed(habits: Habits, kills: number) {
  const times = new Map<string, number>();
  const targetUrl = await startTarget(times);
  const records = new Map<string, string>();
  const begun = new Set<string>();
  const breakOff: (() => void)[] = [];
  let [reserved, asked] = [5, 0];
  const side: Side = {
    name: 'hand, fenced',
    database: 'fake',
    cpu: () => ({ side: 0, postgres: 0, engine: 0 }),
    countEvents: () => Promise.resolve(null),
    reserved: () => Promise.resolve(reserved),
    recorded: (key) => Promise.resolve(habits.forgetsRecords === true ? null : (records.get(key) ?? null)),
    send: async (key, message) => {
      asked += 1;
      const isFirst = !begun.has(key);
      begun.add(key);
      if (isFirst || habits.reservesAgain === true) reserved += 1;
      if (message !== 'hello' && (isFirst || (habits.repeats === 'calls again' && !records.has(key)))) {
        times.set(message, (times.get(message) ?? 0) + 1);
      }
      if (message !== 'hello' && isFirst)
        return new Promise((_, reject) => breakOff.push(() => reject(new Error('killed'))));
      const outcome =
        records.get(key) ?? (message === 'hello' || habits.repeats === 'calls again' ? 'succeeded' : 'unknown');
      records.set(key, outcome);
      return answerOf(outcome, habits.answersDifferently === true ? asked : 0);
    },
  };
  const peer: Peer = {
    name: 'hand',
    sides: [side],
    kill: () => {
      for (const one of breakOff.splice(0)) one();
      return Promise.resolve();
    },
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  return (await killOften(peer, targetUrl, kills, () => undefined))['hand, fenced'];
}

function answerOf(outcome: string, number: number): Answer {
  return { status: 200, outcome, text: JSON.stringify({ outcome, number }) };
}

/** Counts nothing itself: a call is held at once. */
async function startTarget(times: ReadonlyMap<string, number>): Promise<string> {
  const server = createServer((request, response) => {
    const message = new URL(request.url ?? '/', 'http://target').searchParams.get('message') ?? '';
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ count: times.get(message) ?? 0 }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the check of the guarantee', () => {
  it('finds nothing at a peer that is fenced', async () => {
    const guarantee = { kills: 3, secondCalls: 0, overReservations: 0, lostAnswers: 0, outcomes: { unknown: 3 } };
    expect(await killed({ repeats: 'knows' }, 3)).toEqual(guarantee);
  });

  it('counts the calls that the target saw again', async () => {
    const found = await killed({ repeats: 'calls again' }, 3);
    expect(found).toMatchObject({ secondCalls: 3, overReservations: 0, lostAnswers: 0, outcomes: { succeeded: 3 } });
  });

  it('counts what is reserved beyond one for each key', async () => {
    // Three keys whose first call was killed are asked three times, three others twice: nine too many.
    expect(await killed({ repeats: 'knows', reservesAgain: true }, 3)).toMatchObject({ overReservations: 9 });
  });

  it('counts an answer that is not on record', async () => {
    expect(await killed({ repeats: 'knows', forgetsRecords: true }, 2)).toMatchObject({ lostAnswers: 4 });
  });

  it('counts an answer of which a repeat gets another', async () => {
    expect(await killed({ repeats: 'knows', answersDifferently: true }, 2)).toMatchObject({ lostAnswers: 4 });
  });
});
