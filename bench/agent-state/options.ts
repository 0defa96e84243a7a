import { parseArgs } from 'node:util';

export interface AgentStateOptions {
  /** The sizes of the collections that are searched. */
  memories: number[];
  /** Rounds of each side, in turn. */
  rounds: number;
  /** Calls of a round, one at a time. */
  callsPerRound: number;
  /** Only the searches of the largest collection with an index. */
  isIndexedOnly: boolean;
  write: boolean;
}

export const USAGE = `Usage: npm run bench:agent-state -- [options]
  --memories=1000,100000   sizes of the collections that are searched
  --rounds=5               of each side, in turn
  --round-calls=20         calls of a round, one at a time
  --indexed-only           only the searches of the largest collection with an index
  --no-write               leave bench/results as it is

A short run: --memories=1000,10000 --rounds=2 --round-calls=10 --no-write`;

/** Throws if an argument is not listed in USAGE. */
export function readOptions(args: string[]): AgentStateOptions {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const { values } = parseArgs({
    args,
    options: {
      memories: text('1000,100000'),
      rounds: text('5'),
      'round-calls': text('20'),
      'indexed-only': { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
    },
  });
  const positive = (name: string, value: string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number <= 0) throw new Error(`--${name} must be above 0.\n${USAGE}`);
    return number;
  };
  return {
    memories: values.memories.split(',').map((size) => positive('memories', size)),
    rounds: positive('rounds', values.rounds),
    callsPerRound: positive('round-calls', values['round-calls']),
    isIndexedOnly: values['indexed-only'],
    write: !values['no-write'],
  };
}
