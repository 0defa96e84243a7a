import { parseArgs } from 'node:util';

export interface NeighboursOptions {
  /** The crowd: calls that hang, and deliveries behind deliveries that hang. */
  invocations: number;
  messages: number;
  /** Rounds of the victim alone, and beside the crowd. */
  rounds: number;
  callsPerRound: number;
  restMs: number;
  write: boolean;
}

export const USAGE = `Usage: npm run bench:neighbours -- [options]
  --invocations=1000    of another workspace, which hang
  --messages=10000      of another workspace, queued behind deliveries that hang
  --rounds=5            of the victim alone, and as many beside the crowd
  --round-calls=200     invocations of the victim in a round, one at a time
  --rest-seconds=10     between the last arrival of the crowd and the rounds beside it
  --no-write            leave bench/results as it is

A short run: --invocations=100 --messages=300 --rounds=2 --round-calls=50 --no-write`;

/** Throws if an argument is not listed in USAGE. */
export function readOptions(args: string[]): NeighboursOptions {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const { values } = parseArgs({
    args,
    options: {
      invocations: text('1000'),
      messages: text('10000'),
      rounds: text('5'),
      'round-calls': text('200'),
      'rest-seconds': text('10'),
      'no-write': { type: 'boolean', default: false },
    },
  });
  const positive = (name: string, value: string): number => {
    const number = Number(value);
    if (!Number.isFinite(number) || number <= 0) throw new Error(`--${name} must be above 0.\n${USAGE}`);
    return Math.trunc(number);
  };
  return {
    invocations: positive('invocations', values.invocations),
    messages: positive('messages', values.messages),
    rounds: positive('rounds', values.rounds),
    callsPerRound: positive('round-calls', values['round-calls']),
    restMs: positive('rest-seconds', values['rest-seconds']) * 1000,
    write: !values['no-write'],
  };
}
