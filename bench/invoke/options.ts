import { parseArgs } from 'node:util';

export interface BenchOptions {
  concurrencies: number[];
  /** Rounds of each side for each concurrency. */
  rounds: number;
  /** A round starts no further call after this many calls, or after this time. */
  callsPerRoundMax: number;
  roundMs: number;
  warmUpMs: number;
  /** The pause between the last call and the measurement of idle memory. */
  restMs: number;
  /** The governed call carries an Idempotency-Key and a secret in a header, as an agent would send it. */
  idempotencyKey: boolean;
  secret: boolean;
  write: boolean;
  /** Node flags for the service's process, to profile it. The results of such a run are not written. */
  nodeFlags: string[];
}

export const USAGE = `Usage: npm run bench:invoke -- [options]
  --concurrency=1,32       calls at once, one series for each
  --rounds=6               rounds of each side in a series, alternating
  --round-seconds=4        a round starts no call after so long ...
  --round-calls=1000       ... or after so many
  --warm-up-seconds=3      of each side before a series
  --rest-seconds=10        of silence before memory at rest is read
  --no-idempotency-key     send the governed calls without one
  --no-secret              use an action without a secret
  --no-write               leave bench/results as it is
  --node-flags="..."       for the service's process, to profile it; implies --no-write`;

/** Throws if an argument is not listed in USAGE. */
export function readOptions(args: string[]): BenchOptions {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      concurrency: text('1,32'),
      rounds: text('6'),
      'round-seconds': text('4'),
      'round-calls': text('1000'),
      'warm-up-seconds': text('3'),
      'rest-seconds': text('10'),
      'no-idempotency-key': flag,
      'no-secret': flag,
      'no-write': flag,
      'node-flags': { type: 'string' },
    },
  });
  const positive = (name: string, value: string): number => {
    const number = Number(value);
    if (!Number.isFinite(number) || number <= 0) throw new Error(`--${name} must be above 0.\n${USAGE}`);
    return number;
  };
  return {
    concurrencies: values.concurrency.split(',').map((one) => Math.trunc(positive('concurrency', one))),
    rounds: Math.trunc(positive('rounds', values.rounds)),
    callsPerRoundMax: Math.trunc(positive('round-calls', values['round-calls'])),
    roundMs: positive('round-seconds', values['round-seconds']) * 1000,
    warmUpMs: positive('warm-up-seconds', values['warm-up-seconds']) * 1000,
    restMs: positive('rest-seconds', values['rest-seconds']) * 1000,
    idempotencyKey: !values['no-idempotency-key'],
    secret: !values['no-secret'],
    write: !values['no-write'] && values['node-flags'] === undefined,
    nodeFlags: values['node-flags']?.split(' ').filter(Boolean) ?? [],
  };
}
