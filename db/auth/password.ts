import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * Scrypt with N = 2^17, r = 8, p = 1: 128 MiB and some tenths of a second for each guess.
 * Source: OWASP Password Storage Cheat Sheet, "scrypt".
 */
export const SCRYPT_COST = { logN: 17, blockSize: 8, parallelization: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** What a stored hash may ask for, so that a planted row cannot exhaust the process. */
const LOG_N_MAX = 20;
/** Hashes at once: each takes 128 MiB and a thread of libuv's pool, which DNS and files share. */
const CONCURRENCY_MAX = 2;
/** Beyond it a caller would wait longer than it is willing to. */
const WAITING_MAX = 50;

export interface ScryptCost {
  logN: number;
  blockSize: number;
  parallelization: number;
}

/** Too many passwords wait to be hashed. */
export class HashingBusyError extends Error {}

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A hash for the database, with its parameters and a salt of its own: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`. */
export async function hashPassword(password: string, cost: ScryptCost = SCRYPT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, cost);
  const parameters = `ln=${cost.logN},r=${cost.blockSize},p=${cost.parallelization}`;
  return `$scrypt$${parameters}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Whether the password is the one of the hash. Without a hash it takes the same time and answers false. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const parsed = stored === null ? null : parse(stored);
  const expected = parsed?.hash ?? Buffer.alloc(HASH_BYTES);
  const actual = await derive(password, parsed?.salt ?? Buffer.alloc(SALT_BYTES), parsed?.cost ?? SCRYPT_COST);
  return timingSafeEqual(actual, expected) && parsed !== null;
}

function parse(stored: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } {
  const [, logN, blockSize, parallelization, salt = '', hash = ''] = STORED.exec(stored) ?? [];
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallelization: Number(parallelization) };
  const bytes = Buffer.from(hash, 'base64');
  if (!(cost.logN <= LOG_N_MAX) || bytes.length !== HASH_BYTES) throw new Error('a stored password hash is malformed');
  return { cost, salt: Buffer.from(salt, 'base64'), hash: bytes };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** In a thread of libuv's pool, so the event loop goes on. Equal strings that are composed otherwise are the same password. */
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

/** @throws {HashingBusyError} where too many wait already. */
async function turn(): Promise<void> {
  if (running >= CONCURRENCY_MAX) {
    if (waiting.length >= WAITING_MAX) throw new HashingBusyError('too many passwords wait to be hashed');
    await new Promise<void>((resolve) => waiting.push(resolve)); // a finished hash hands its slot over
    return;
  }
  running += 1;
}

function leave(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
