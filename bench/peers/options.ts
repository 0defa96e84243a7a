import { parseArgs } from 'node:util';
import { SIDE_NAMES, type SideName } from './side.ts';

export interface PeersOptions {
  sides: SideName[];
  /** Calls in flight, of the closed loop. */
  levels: number[];
  rounds: number;
  roundMs: number;
  warmUpMs: number;
  /** Calls a second, of the open loop. */
  rates: number[];
  openMs: number;
  seed: number;
  /** Calls for what one costs; 0 counts nothing. */
  countedCalls: number;
  kills: number;
  write: boolean;
  /** Node flags for the service's process, to profile it. The results of such a run are not written. */
  nodeFlags: string[];
}

const slugOf = (side: SideName): string => side.toLowerCase().replace(', ', '-');

export const USAGE = `Usage: npm run bench:peers -- [options]
  --sides=${SIDE_NAMES.map(slugOf).join(',')}
  --levels=1,32        calls in flight of the closed loop; 0 for no closed loop
  --rounds=4           rounds of each side for each level, in turn
  --seconds=3          a round starts no call after so long
  --warm-up-seconds=2  of each side before a level
  --rates=20,40,80     calls a second of the open loop; 0 for no open loop
  --open-seconds=8     of each side for each rate
  --seed=42            of the arrivals of the open loop
  --counted-calls=60   of each side, for statements, transactions, WAL and events; 0 counts nothing
  --kills=50           of each side's process while the target holds a call
  --write              keep the result in bench/results
  --node-flags="..."   for the service's process, to profile it; nothing is written

In 3 minutes: --rounds=1 --seconds=2 --warm-up-seconds=1 --rates=40 --open-seconds=4 --counted-calls=20 --kills=3`;

/** Null where only USAGE is asked for. Throws if an argument is not listed there. */
export function readOptions(args: string[]): PeersOptions | null {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const { values } = parseArgs({
    args,
    options: {
      sides: text(SIDE_NAMES.map(slugOf).join(',')),
      levels: text('1,32'),
      rounds: text('4'),
      seconds: text('3'),
      'warm-up-seconds': text('2'),
      rates: text('20,40,80'),
      'open-seconds': text('8'),
      seed: text('42'),
      'counted-calls': text('60'),
      kills: text('50'),
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      'node-flags': { type: 'string' },
    },
  });
  if (values.help) return null;
  const asked = new Set(values.sides.split(','));
  const sides = SIDE_NAMES.filter((side) => asked.delete(slugOf(side)));
  if (asked.size > 0) throw new Error(`There is no side ${[...asked].join(', ')}.\n${USAGE}`);
  const nodeFlags = values['node-flags']?.split(' ').filter(Boolean) ?? [];
  return {
    sides,
    levels: wholeNumbers('levels', values.levels),
    rounds: number('rounds', values.rounds, 1),
    roundMs: number('seconds', values.seconds, 0.1) * 1_000,
    warmUpMs: number('warm-up-seconds', values['warm-up-seconds'], 0) * 1_000,
    rates: wholeNumbers('rates', values.rates),
    openMs: number('open-seconds', values['open-seconds'], 0.1) * 1_000,
    seed: number('seed', values.seed, 0),
    countedCalls: number('counted-calls', values['counted-calls'], 0),
    kills: number('kills', values.kills, 0),
    write: values.write && nodeFlags.length === 0,
    nodeFlags,
  };
}

function number(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < least) throw new Error(`--${name} must be at least ${least}.\n${USAGE}`);
  return value;
}

/** A list without its zeros. */
function wholeNumbers(name: string, text: string): number[] {
  return text
    .split(',')
    .map((one) => Math.trunc(number(name, one, 0)))
    .filter((one) => one > 0);
}
