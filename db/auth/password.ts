import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * Scrypt with N = 2^17, r = 8, p = 1: a guess takes 128 MiB and some tenths of a second. Source: OWASP Password Storage Cheat
 * Sheet, "scrypt".
 */
export const SCRYPT_COST = { logN: 17, blockSize: 8, parallelization: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The highest parameters that a stored hash may have, so that a planted row cannot exhaust the process. */
const LOG_N_MAX = 20;
/** The number of concurrent hashes. Each takes 128 MiB and a thread of libuv's pool, which DNS and files share. */
const CONCURRENCY_MAX = 2;
/** The length of the queue. A caller behind it would wait longer than it is willing to. */
const WAITING_MAX = 50;

export interface ScryptCost {
  logN: number;
  blockSize: number;
  parallelization: number;
}

/** The queue of passwords to hash is full. */
export class HashingBusyError extends Error {}

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A hash for the database, with its parameters and its own salt: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`. */
export async function hashPassword(password: string, cost: ScryptCost = SCRYPT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, cost);
  const parameters = `ln=${cost.logN},r=${cost.blockSize},p=${cost.parallelization}`;
  return `$scrypt$${parameters}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Compares a password with a hash. Without a hash it takes the same time and returns false. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const { cost, salt, hash } = comparisonWith(stored);
  const actual = await derive(password, salt, cost);
  return timingSafeEqual(actual, hash) && stored !== null;
}

interface Comparison {
  cost: ScryptCost;
  salt: Buffer;
  hash: Buffer;
}

/** The work of a comparison: that of the stored hash, or as much as a new hash costs where there is none. */
export function comparisonWith(stored: string | null): Comparison {
  if (stored === null) return { cost: SCRYPT_COST, salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };
  return parse(stored);
}

function parse(stored: string): Comparison {
  const [, logN, blockSize, parallelization, salt = '', hash = ''] = STORED.exec(stored) ?? [];
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallelization: Number(parallelization) };
  const bytes = Buffer.from(hash, 'base64');
  if (!(cost.logN <= LOG_N_MAX) || bytes.length !== HASH_BYTES) throw new Error('a stored password hash is malformed');
  return { cost, salt: Buffer.from(salt, 'base64'), hash: bytes };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/**
 * Runs in libuv's thread pool and does not block the event loop. Strings that are equal after Unicode normalization are the same
 * password.
 */
async function derive(
  password: string,
  salt: Buffer,
  { logN, blockSize, parallelization }: ScryptCost,
): Promise<Buffer> {
  const N = 2 ** logN;
  const options = { N, r: blockSize, p: parallelization, maxmem: 256 * N * blockSize };
  await turn();
  try {
    return await new Promise((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) => {
        if (error === null) resolve(hash);
        else reject(error);
      });
    });
  } finally {
    leave();
  }
}

let running = 0;
const waiting: (() => void)[] = [];

/** @throws {HashingBusyError} where the queue is full. */
async function turn(): Promise<void> {
  if (running >= CONCURRENCY_MAX) {
    if (waiting.length >= WAITING_MAX) throw new HashingBusyError('too many passwords wait to be hashed');
    await new Promise<void>((resolve) => waiting.push(resolve)); // the next caller takes over this one's slot
    return;
  }
  running += 1;
}

function leave(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
