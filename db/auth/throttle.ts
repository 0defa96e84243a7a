import { createHash } from 'node:crypto';
import { networkOf } from '../../domain/address-ranges.ts';
import type { Database } from '../client.ts';

/**
 * The number of failures before the first pause, and the length of the pauses: each further failure doubles it, up to the
 * maximum.
 */
interface Bucket {
  freeFailures: number;
  firstPauseSeconds: number;
  longestPauseSeconds: number;
}

/** One account from one address: a person who mistypes, or a guesser without a botnet. */
const PAIR: Bucket = { freeFailures: 5, firstPauseSeconds: 2, longestPauseSeconds: 900 };
/** One account from all addresses. The pauses are short, because anyone who knows an e-mail address can cause them. */
const ACCOUNT: Bucket = { freeFailures: 10, firstPauseSeconds: 1, longestPauseSeconds: 60 };
/** One address for all accounts: many people may share it. */
const ADDRESS: Bucket = { freeFailures: 30, firstPauseSeconds: 2, longestPauseSeconds: 900 };
/** Counters are reset, and rows deleted, this long after the last failure. */
const FORGOTTEN_AFTER_DAYS = 1;
/** An address counts as familiar to an account for this long after a sign-in. */
const HOME_DAYS = 30;

export interface SignInAttempt {
  email: string;
  address: string;
}

/**
 * Counts an attempt for its account, its address and the pair of both. It runs before the password is checked, so that concurrent
 * attempts cannot pass together. Returns the end of the pause, or null where the attempt may proceed.
 *
 * The account's own counter applies only at unfamiliar addresses. Nobody can therefore lock a user out of a familiar place by
 * failing elsewhere, and at a new place the wait is a minute at most.
 */
export async function beginSignInAttempt(db: Database, attempt: SignInAttempt): Promise<Date | null> {
  const keys = keysOf(attempt);
  const row = await db.directory.row<{ home: boolean }>(
    'begin_sign_in_attempt',
    `SELECT has_signed_in_from(?, ? * interval '1 day') AS home`,
    [keys.pair, HOME_DAYS],
  );
  const isHome = row?.home === true;
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

/** Call it after a correct password: resets the account's counters and takes this attempt off the address's. */
export async function settleSignIn(db: Database, attempt: SignInAttempt): Promise<void> {
  const { account, address, pair } = keysOf(attempt);
  await db.directory.raw('settle_sign_in', `SELECT settle_sign_in(?, ?, ?, ? * interval '1 day')`, [
    account,
    address,
    pair,
    Math.max(FORGOTTEN_AFTER_DAYS, HOME_DAYS),
  ]);
}

async function count(db: Database, key: Buffer, bucket: Bucket): Promise<Date | null> {
  const row = await db.directory.row<{ blocked_until: Date | null }>(
    'auth_count',
    `SELECT begin_sign_in_attempt(?, ?, ? * interval '1 second', ? * interval '1 second', ? * interval '1 day') AS blocked_until`,
    [key, bucket.freeFailures, bucket.firstPauseSeconds, bucket.longestPauseSeconds, FORGOTTEN_AFTER_DAYS],
  );
  return row?.blocked_until ?? null;
}

/**
 * Keys are hashes, so the table holds neither e-mail addresses nor network addresses. The case of an e-mail address is ignored.
 * An IPv6 address counts as its /64, because its holder has all of that network.
 */
function keysOf({ email, address: given }: SignInAttempt): Record<'account' | 'address' | 'pair', Buffer> {
  const account = email.toLowerCase();
  const address = networkOf(given);
  return {
    account: keyOf('account', account),
    address: keyOf('address', address),
    pair: keyOf('pair', account, address),
  };
}

function keyOf(...parts: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts), 'utf8').digest();
}

/** Expired counters of failed sign-ins, as the hexadecimal form of their keys, in key order. */
export async function findExpiredThrottles(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const rows = await db.directory.rows<{ id: string }>(
    'find_expired_throttles',
    'SELECT id FROM find_expired_sign_in_throttles(make_interval(days => ?), make_interval(days => ?), ?, ?)',
    [FORGOTTEN_AFTER_DAYS, HOME_DAYS, page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these counters, except where an attempt has renewed one meanwhile. Returns the number deleted. */
export async function deleteExpiredThrottles(db: Database, ids: readonly string[]): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_expired_throttles',
    'SELECT delete_expired_sign_in_throttles(make_interval(days => ?), make_interval(days => ?), ?::text[]) AS deleted',
    [FORGOTTEN_AFTER_DAYS, HOME_DAYS, [...ids]],
  );
  return row?.deleted ?? 0;
}
