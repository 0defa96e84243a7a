import { parseArgs } from 'node:util';

export interface DeliveryOptions {
  levels: Level[];
  /** Batches of this many messages, and how often each side takes one. */
  batch: { messages: number; rounds: number };
  write: boolean;
  /** Node flags for the service's process, to profile it. The results of such a run are not written. */
  nodeFlags: string[];
}

export interface Level {
  /** Messages that are published and not yet received. */
  outstanding: number;
  /** Messages of a round. */
  messages: number;
  rounds: number;
}

export const USAGE = `Usage: npm run bench:delivery -- [options]
  --levels=1:30:5,100:400:3,1000:1000:2   outstanding:messages of a round:rounds of each side
  --batch=1000:3                          messages of a batch:batches of each side; 0:0 for none
  --write                                 keep the result in bench/results
  --node-flags="..."                      for the service's process, to profile it; nothing is written

A short run: --levels=1:10:1,100:150:1 --batch=200:1`;

/** Throws if an argument is not listed in USAGE. */
export function readOptions(args: string[]): DeliveryOptions {
  const { values } = parseArgs({
    args,
    options: {
      levels: { type: 'string', default: '1:30:5,100:400:3,1000:1000:2' },
      batch: { type: 'string', default: '1000:3' },
      write: { type: 'boolean', default: false },
      'node-flags': { type: 'string' },
    },
  });
  const levels = values.levels.split(',').map((level) => {
    const [outstanding, messages, rounds] = numbersOf(level, 3, 1);
    return { outstanding, messages, rounds };
  });
  const [messages, rounds] = numbersOf(values.batch, 2, 0);
  const nodeFlags = values['node-flags']?.split(' ').filter(Boolean) ?? [];
  return { levels, batch: { messages, rounds }, write: values.write && nodeFlags.length === 0, nodeFlags };
}

function numbersOf(text: string, count: number, least: number): [number, number, number] {
  const numbers = text.split(':').map(Number);
  if (numbers.length !== count || !numbers.every((number) => Number.isInteger(number) && number >= least)) {
    throw new Error(`${text} is not understood.\n${USAGE}`);
  }
  const [first = 0, second = 0, third = 0] = numbers;
  return [first, second, third];
}
