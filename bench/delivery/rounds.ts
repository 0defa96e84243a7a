import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuTimesOf } from '../invoke/cpu.ts';
import type { Level } from './options.ts';
import type { Receiver } from './receiver.ts';
import type { Side, SideName } from './side.ts';

/** One round of one side. Times to a tenth of a millisecond. */
export interface Round {
  /** From the first publication until everything was received, and settled on record. */
  seconds: number;
  /** From the publication of each message to its arrival. */
  latenciesMs: number[];
  /** CPU time of all processes of the bench, with the machine's other work left out; NaN on a system without /proc. */
  cpuMs: number;
}

export interface BatchRound {
  firstMs: number;
  lastMs: number;
  settledMs: number;
}

/** Long enough for a busy machine: a thousand messages at five a second. */
const ROUND_MS_MAX = 240_000;
const SETTLED_LOOK_MS = 20;
const WARM_UP_SHARE = 0.25;

export interface Stage {
  sides: readonly Side[];
  receiver: Receiver;
  /** How many messages each side was given. */
  published: Record<SideName, number>;
  onRound: (side: SideName, said: string) => void;
}

/** Rounds of all sides in turn, each first equally often; one short round of each before, which counts for nothing. */
export async function runLevel(stage: Stage, level: Level): Promise<Record<SideName, Round[]>> {
  const { sides, onRound } = stage;
  const measured: Record<SideName, Round[]> = { service: [], bare: [], 'pg-boss': [], 'graphile-worker': [] };
  const warmUp = { ...level, messages: Math.ceil(level.messages * WARM_UP_SHARE) };
  for (const side of sides) {
    await inTime(stage, () => runRound(stage, side, warmUp));
    onRound(side.name, 'is warm');
  }
  for (let number = 0; number < level.rounds; number++) {
    for (const side of inTurn(sides, number)) {
      const round = await inTime(stage, () => runRound(stage, side, level));
      measured[side.name].push(round);
      onRound(
        side.name,
        `${(round.latenciesMs.length / round.seconds).toFixed(1)}/s, p50 ${percentile(round.latenciesMs, 0.5).toFixed(1)} ms`,
      );
    }
  }
  return measured;
}

/** Closed loop: of the messages of the round so many are outstanding at a time, from publication to arrival. */
async function runRound(
  { sides, receiver, published }: Stage,
  side: Side,
  { outstanding, messages }: Level,
): Promise<Round> {
  const latenciesMs: number[] = [];
  const cpuBefore = cpuOf(sides);
  const startedAtMs = performance.now();
  let begun = 0;
  const keepOne = async (): Promise<void> => {
    while (begun < messages) {
      begun += 1;
      published[side.name] += 1;
      const number = randomUUID();
      const arrival = receiver.arrivalOf(number);
      const publishedAtMs = performance.now();
      const [arrivedAtMs] = await Promise.all([arrival, side.publish(number)]);
      latenciesMs.push(tenths(arrivedAtMs - publishedAtMs));
    }
  };
  await Promise.all(Array.from({ length: Math.min(outstanding, messages) }, keepOne));
  await settled(side);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { seconds, latenciesMs, cpuMs: cpuOf(sides) - cpuBefore };
}

/** Batches of the sides that take them, in turn. */
export async function runBatches(
  stage: Stage,
  messages: number,
  rounds: number,
): Promise<Partial<Record<SideName, BatchRound[]>>> {
  const measured: Partial<Record<SideName, BatchRound[]>> = {};
  for (let round = 0; round < rounds; round++) {
    for (const side of inTurn(stage.sides, round)) {
      if (side.publishBatch === null) continue;
      const { publishBatch } = side;
      const one = await inTime(stage, () => runBatch(stage, side, publishBatch, messages));
      (measured[side.name] ??= []).push(one);
      stage.onRound(side.name, `a batch of ${messages}: first after ${one.firstMs} ms, last after ${one.lastMs} ms`);
    }
  }
  return measured;
}

async function runBatch(
  { receiver, published }: Stage,
  side: Side,
  publishBatch: NonNullable<Side['publishBatch']>,
  messages: number,
): Promise<BatchRound> {
  const numbers = Array.from({ length: messages }, () => randomUUID());
  const arrivals = numbers.map((number) => receiver.arrivalOf(number));
  published[side.name] += messages;
  const startedAtMs = performance.now();
  const [firstAtMs, allAtMs] = await Promise.all([
    Promise.race(arrivals),
    Promise.all(arrivals),
    publishBatch(numbers),
  ]);
  await settled(side);
  const settledMs = tenths(performance.now() - startedAtMs);
  return { firstMs: tenths(firstAtMs - startedAtMs), lastMs: tenths(Math.max(...allAtMs) - startedAtMs), settledMs };
}

async function settled(side: Side): Promise<void> {
  while (!(await side.isSettled())) await delay(SETTLED_LOOK_MS);
}

function inTurn(sides: readonly Side[], round: number): Side[] {
  const first = round % sides.length;
  return [...sides.slice(first), ...sides.slice(0, first)];
}

async function inTime<T>({ receiver }: Stage, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = delay(ROUND_MS_MAX, undefined, { signal: over.signal }).then(() => {
    throw new Error(`a round took more than ${ROUND_MS_MAX / 1_000} s: messages are missing`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work(), late, receiver.failed]);
  } finally {
    over.abort();
  }
}

function cpuOf(sides: readonly Side[]): number {
  const { user, system } = process.cpuUsage();
  const children = sides.flatMap(({ pid }) => Object.values(cpuTimesOf(pid)));
  if (children.length === 0) return Number.NaN;
  return children.reduce((sum, ms) => sum + ms, 0) + (user + system) / 1_000;
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
