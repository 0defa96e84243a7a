import type { EnvironmentTransaction } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';

/** Keys are kept for 24 hours (docs/idempotency.md). */
export const IDEMPOTENCY_RETENTION_HOURS = 24;

export interface ClaimRequest {
  key: string;
  /** `Vault.digests` over method, path, workspace and JSON body. The first is recorded; a claim under any of them is of the same request. */
  requestDigests: readonly [string, ...string[]];
  /** A new UUID for each try, which distinguishes this claim from one that took it over. */
  holder: string;
  leaseMs: number;
}

export type ClaimOutcome =
  /** This request holds the key and must run its handler. */
  | { state: 'claimed' }
  /** The same request has been answered with these bytes. */
  | { state: 'completed'; status: number; body: string }
  /**
   * The same request runs elsewhere and was marked as awaited. Its lease ends after this many milliseconds unless it is renewed.
   */
  | { state: 'in_progress'; leaseRemainingMs: number }
  /** Another request used the key. */
  | { state: 'reused' };

/**
 * Claims a key of the transaction's environment; among concurrent requests, one gets it. It does what `takeKey` does, and says
 * why where it fails.
 */
export async function claimKey(tx: EnvironmentTransaction, request: ClaimRequest): Promise<ClaimOutcome> {
  return (await takeKey(tx, request)) ? { state: 'claimed' } : readHeldKey(tx, request);
}

/**
 * Takes a free key in one statement. A key is free when it has no row, when its retention is over, or when the same request held
 * it and its lease ran out. The key of a dead holder is not free for another request, because the work of the holder is unknown.
 */
export async function takeKey(tx: EnvironmentTransaction, request: ClaimRequest): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'take_key',
    `INSERT INTO idempotency_claims AS c (environment_id, key, request_digest, holder, lease_expires_at, expires_at)
     VALUES (current_environment_id(), :key, :newest, :holder, clock_timestamp() + :leaseMs * interval '1 millisecond',
             clock_timestamp() + :retentionHours * interval '1 hour')
     ON CONFLICT (environment_id, key) DO UPDATE SET
       request_digest = EXCLUDED.request_digest, holder = EXCLUDED.holder, lease_expires_at = EXCLUDED.lease_expires_at,
       expires_at = EXCLUDED.expires_at, state = 'in_progress', response_status = NULL, response_body = NULL,
       created_at = clock_timestamp()
     WHERE CASE c.state
       WHEN 'completed' THEN c.expires_at <= clock_timestamp()
       ELSE c.lease_expires_at <= clock_timestamp()
            AND (c.request_digest = ANY (:requestDigests) OR c.expires_at <= clock_timestamp())
     END
     RETURNING key`,
    { ...request, newest: request.requestDigests[0], retentionHours: IDEMPOTENCY_RETENTION_HOURS },
  );
  return rows.length > 0;
}

interface HeldRow {
  request_digest: string;
  state: 'in_progress' | 'completed';
  response_status: number | null;
  response_body: string | null;
  lease_remaining_ms: number;
}

/** The INSERT that met this row holds its lock. The holder therefore ends after this transaction, and sees the mark. */
async function readHeldKey(tx: EnvironmentTransaction, request: ClaimRequest): Promise<ClaimOutcome> {
  const row = await tx.row<HeldRow>(
    'read_held_key',
    `WITH marked AS (
       UPDATE idempotency_claims SET awaited = true
       WHERE key = :key AND state = 'in_progress' AND request_digest = ANY (:requestDigests) RETURNING *
     ), held AS (
       SELECT * FROM marked UNION ALL
       SELECT * FROM idempotency_claims WHERE key = :key AND NOT EXISTS (SELECT FROM marked)
     )
     SELECT request_digest, state, response_status, response_body,
            (extract(epoch FROM lease_expires_at - clock_timestamp()) * 1000)::float8 AS lease_remaining_ms
     FROM held`,
    { key: request.key, requestDigests: request.requestDigests },
  );
  if (row === null) throw new Error('an idempotency claim vanished under its lock');
  if (!request.requestDigests.includes(row.request_digest)) return { state: 'reused' };
  if (row.state === 'completed' && row.response_status !== null) {
    return { state: 'completed', status: row.response_status, body: row.response_body ?? '' };
  }
  return { state: 'in_progress', leaseRemainingMs: Math.max(0, row.lease_remaining_ms) };
}

/**
 * Extends the leases of claims whose holders are still at work. A claim that was taken over has another holder and is left alone.
 */
export async function renewClaims(tx: EnvironmentTransaction, holders: string[], leaseMs: number): Promise<void> {
  await tx.raw(
    'renew_claims',
    `UPDATE idempotency_claims SET lease_expires_at = clock_timestamp() + :leaseMs * interval '1 millisecond'
     WHERE holder = ANY(CAST(:holders AS uuid[])) AND state = 'in_progress'`,
    { holders, leaseMs },
  );
}

export interface CompletedClaim {
  key: string;
  holder: string;
  /** Always 2xx: other replies are not stored. */
  status: number;
  /** The bytes of the reply, exactly. */
  body: string;
}

/** Stores the reply, and notifies a duplicate that waits. Returns false where the claim was taken over meanwhile. */
export async function completeClaim(tx: EnvironmentTransaction, claim: CompletedClaim): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'complete_claim',
    `WITH done AS (
       UPDATE idempotency_claims
       SET state = 'completed', response_status = :status, response_body = :body,
           expires_at = clock_timestamp() + :retentionHours * interval '1 hour'
       WHERE key = :key AND holder = :holder AND state = 'in_progress'
       RETURNING environment_id, key, awaited
     )
     SELECT CASE WHEN awaited THEN pg_notify(:channel, environment_id || '/' || encode(sha256(convert_to(key, 'UTF8')), 'hex')) END
     FROM done`,
    { ...claim, retentionHours: IDEMPOTENCY_RETENTION_HOURS, channel: CHANNELS.idempotencyCompleted },
  );
  return rows.length > 0;
}

/** Frees the key after a failed request and notifies the duplicates that wait; one of them takes the key. */
export async function freeClaim(tx: EnvironmentTransaction, claim: { key: string; holder: string }): Promise<void> {
  await tx.raw(
    'free_claim',
    `WITH freed AS (
       DELETE FROM idempotency_claims WHERE key = :key AND holder = :holder AND state = 'in_progress'
       RETURNING environment_id, key, awaited
     )
     SELECT CASE WHEN awaited THEN pg_notify(:channel, environment_id || '/' || encode(sha256(convert_to(key, 'UTF8')), 'hex')) END
     FROM freed`,
    { ...claim, channel: CHANNELS.idempotencyCompleted },
  );
}
