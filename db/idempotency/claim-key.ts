import type { EnvironmentTransaction } from '../client.ts';

/** Keys are retained 24 hours. Source: service.md "Endpoints", Idempotency-Key 5. */
export const IDEMPOTENCY_RETENTION_HOURS = 24;

export interface ClaimRequest {
  key: string;
  /** Over method, path, workspace and JSON body. */
  requestDigest: string;
  /** A new UUID for each try: it tells this claim from one that took it over. */
  holder: string;
  leaseMs: number;
}

export type ClaimOutcome =
  /** This request holds the key and must run its handler. */
  | { state: 'claimed' }
  /** The same request was answered before, with these bytes. */
  | { state: 'completed'; status: number; body: string }
  /** The same request runs elsewhere. It was marked as awaited; its lease runs out in so many milliseconds unless it is renewed. */
  | { state: 'in_progress'; leaseRemainingMs: number }
  /** The key belongs to another request. */
  | { state: 'reused' };

/**
 * Claims a key of the transaction's environment: one of any number of concurrent requests gets it. Does what `takeKey` does,
 * and says why it failed where it did.
 */
export async function claimKey(tx: EnvironmentTransaction, request: ClaimRequest): Promise<ClaimOutcome> {
  return (await takeKey(tx, request)) ? { state: 'claimed' } : readHeldKey(tx, request);
}

/**
 * Takes a key that is free, in one statement.
 * A key is free when there is no row, when its retention is over, or when the same request held it and its lease ran out.
 * A dead holder's key is not free to another request: what the holder did before it died is not known.
 */
export async function takeKey(tx: EnvironmentTransaction, request: ClaimRequest): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `INSERT INTO idempotency_claims AS c (environment_id, key, request_digest, holder, lease_expires_at, expires_at)
     VALUES (current_environment_id(), :key, :requestDigest, :holder, clock_timestamp() + :leaseMs * interval '1 millisecond',
             clock_timestamp() + :retentionHours * interval '1 hour')
     ON CONFLICT (environment_id, key) DO UPDATE SET
       request_digest = EXCLUDED.request_digest, holder = EXCLUDED.holder, lease_expires_at = EXCLUDED.lease_expires_at,
       expires_at = EXCLUDED.expires_at, state = 'in_progress', response_status = NULL, response_body = NULL,
       created_at = clock_timestamp()
     WHERE CASE c.state
       WHEN 'completed' THEN c.expires_at <= clock_timestamp()
       ELSE c.lease_expires_at <= clock_timestamp()
            AND (c.request_digest = EXCLUDED.request_digest OR c.expires_at <= clock_timestamp())
     END
     RETURNING key`,
    { ...request, retentionHours: IDEMPOTENCY_RETENTION_HOURS },
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

/** The INSERT that met the row holds its lock, so its end comes after this transaction and sees the mark. */
async function readHeldKey(tx: EnvironmentTransaction, request: ClaimRequest): Promise<ClaimOutcome> {
  const { rows } = await tx.raw<{ rows: HeldRow[] }>(
    `WITH marked AS (
       UPDATE idempotency_claims SET awaited = true
       WHERE key = :key AND state = 'in_progress' AND request_digest = :requestDigest RETURNING *
     ), held AS (
       SELECT * FROM marked UNION ALL
       SELECT * FROM idempotency_claims WHERE key = :key AND NOT EXISTS (SELECT FROM marked)
     )
     SELECT request_digest, state, response_status, response_body,
            (extract(epoch FROM lease_expires_at - clock_timestamp()) * 1000)::float8 AS lease_remaining_ms
     FROM held`,
    { key: request.key, requestDigest: request.requestDigest },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('an idempotency claim vanished under its lock');
  if (row.request_digest !== request.requestDigest) return { state: 'reused' };
  if (row.state === 'completed' && row.response_status !== null) {
    return { state: 'completed', status: row.response_status, body: row.response_body ?? '' };
  }
  return { state: 'in_progress', leaseRemainingMs: Math.max(0, row.lease_remaining_ms) };
}
