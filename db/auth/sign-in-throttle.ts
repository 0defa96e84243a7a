import { createHash } from 'node:crypto';
import { networkOf } from '../../domain/address-ranges.ts';
import type { Database } from '../client.ts';

/** Failures before the first pause, and how long the pauses are: each failure more doubles it up to the longest. */
interface Bucket {
  freeFailures: number;
  firstPauseSeconds: number;
  longestPauseSeconds: number;
}

/** One account from one address: a person who mistypes, or a guesser without a botnet. */
const PAIR: Bucket = { freeFailures: 5, firstPauseSeconds: 2, longestPauseSeconds: 900 };
/** One account from everywhere. Short pauses: whoever knows an e-mail address can cause them. */
const ACCOUNT: Bucket = { freeFailures: 10, firstPauseSeconds: 1, longestPauseSeconds: 60 };
/** One address for all accounts: many people may share it. */
const ADDRESS: Bucket = { freeFailures: 30, firstPauseSeconds: 2, longestPauseSeconds: 900 };
/** Failures are forgotten, and rows deleted, after so long without another. */
export const FORGOTTEN_AFTER_DAYS = 1;
/** For so long after a sign-in an account is at home at the address. */
export const HOME_DAYS = 30;

export interface SignInAttempt {
  email: string;
  address: string;
}

/**
 * Counts an attempt against its account, its address and both together, before the password is looked at: attempts at once
 * cannot slip through together. Answers until when to wait; null where the attempt may go on.
 *
 * The account as a whole is asked only at addresses where it has not signed in lately. So nobody can lock its holder out of a
 * place they know by failing elsewhere, and at a new place the wait is a minute at most.
 */
export async function beginSignInAttempt(db: Database, attempt: SignInAttempt): Promise<Date | null> {
  const keys = keysOf(attempt);
  const { rows } = await db.directory.raw<{ rows: { home: boolean }[] }>(
    `SELECT has_signed_in_from(?, ? * interval '1 day') AS home`,
    [keys.pair, HOME_DAYS],
  );
  const isHome = rows[0]?.home === true;
  const asked: [Buffer, Bucket][] = [
    [keys.address, ADDRESS],
    [keys.pair, PAIR],
    ...(isHome ? [] : [[keys.account, ACCOUNT] satisfies [Buffer, Bucket]]),
  ];
  for (const [key, bucket] of asked) {
    const blockedUntil = await count(db, key, bucket);
    if (blockedUntil !== null) return blockedUntil;
  }
  return null;
}

/** The password was right: the failures of the account are forgotten, and the address gets this attempt back. */
export async function settleSignIn(db: Database, attempt: SignInAttempt): Promise<void> {
  const { account, address, pair } = keysOf(attempt);
  await db.directory.raw(`SELECT settle_sign_in(?, ?, ?, ? * interval '1 day')`, [
    account,
    address,
    pair,
    Math.max(FORGOTTEN_AFTER_DAYS, HOME_DAYS),
  ]);
}

async function count(db: Database, key: Buffer, bucket: Bucket): Promise<Date | null> {
  const { rows } = await db.directory.raw<{ rows: { blocked_until: Date | null }[] }>(
    `SELECT begin_sign_in_attempt(?, ?, ? * interval '1 second', ? * interval '1 second', ? * interval '1 day') AS blocked_until`,
    [key, bucket.freeFailures, bucket.firstPauseSeconds, bucket.longestPauseSeconds, FORGOTTEN_AFTER_DAYS],
  );
  return rows[0]?.blocked_until ?? null;
}

/**
 * Hashes: the table holds neither e-mail nor network addresses. Case makes no other account, and an IPv6 address counts as its
 * /64: whoever has one address of it has them all.
 */
function keysOf({ email, address: given }: SignInAttempt): Record<'account' | 'address' | 'pair', Buffer> {
  const account = email.toLowerCase();
  const address = networkOf(given) ?? given;
  return {
    account: keyOf('account', account),
    address: keyOf('address', address),
    pair: keyOf('pair', account, address),
  };
}

function keyOf(...parts: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts), 'utf8').digest();
}
