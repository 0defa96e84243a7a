import type { BenchChild } from '../invoke/child.ts';

export const SIDE_NAMES = ['service', 'bare', 'pg-boss', 'graphile-worker'] as const;
export type SideName = (typeof SIDE_NAMES)[number];

/** One way to deliver messages. All send the same signed POST to the same receiver. */
export interface Side {
  name: SideName;
  /** Publishes the message with this number; resolves when it is acknowledged. */
  publish(number: string): Promise<void>;
  /** Publishes these in one call; null where the side has none. */
  publishBatch: ((numbers: readonly string[]) => Promise<void>) | null;
  /** Whether everything that was published is at its end, and on record as far as the side keeps one. */
  isSettled(): Promise<boolean>;
  /** The attempts on record, of all rounds; null where the side keeps none. */
  countAttempts(): Promise<number | null>;
  /** The process of its worker. */
  pid: number;
  stop(): Promise<void>;
}

/** The body of a message: a number and as much as a small webhook carries. */
export interface Message {
  number: string;
  type: string;
  data: { order: number; note: string };
}

export function messageOf(number: string): Message {
  return { number, type: 'order.created', data: { order: 7, note: 'x'.repeat(200) } };
}

/** What a worker's process is told, as its one argument. */
export interface WorkerTask {
  /** Where the database is, or Temporal. */
  address: string;
  receiverUrl: string;
  secret: string;
}

export function pidOf(child: BenchChild): number {
  const { pid } = child.process;
  if (pid === undefined) throw new Error('a process of the bench did not start');
  return pid;
}
