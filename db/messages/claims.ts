import type { DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import { PARALLELISM_MAX } from '../../domain/flow-control/flow-control.ts';
import type { AttemptFailure } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type MessageWork, workColumns, workOf, type WorkRow } from './message-work.ts';

export interface ClaimInput {
  /** The most messages of this claim. */
  most: number;
  /** The most deliveries that the workspace may have in flight. */
  share: number;
  /** Identifies the claimer. */
  claim: string;
  /** The worker as its attempts name it. */
  worker: string;
  /** When the lease ends, others give the attempts up. The claimer renews it. */
  leaseMs: number;
  /** The lane behind which this claim begins, as the last one answered. */
  afterLane: string;
}

export interface Claimed {
  works: MessageWork[];
  lastLane: string;
  /** Messages are left that are due: a limit holds them back, or this claim had no room for them. */
  isLeft: boolean;
  /** The next claim may take some of them at once: this one took its turn of a keyed lane. */
  isMore: boolean;
  /** Milliseconds until time alone may let the next message through. Null when only an event can. */
  nextInMs: number | null;
}

/** A claimed message, or the last row, whose message is null. */
type ClaimRow = (WorkRow | { [Column in keyof WorkRow]: null }) & {
  lastLane: string | null;
  isLeft: boolean | null;
  isMore: boolean | null;
  nextInMs: number | null;
};

/** Claims due messages of an environment in fair turn, and records their attempts: `claim_messages` in migration 0026-lanes. */
export async function claimMessages(tx: EnvironmentTransaction, input: ClaimInput): Promise<Claimed> {
  const rows = await tx.rows<ClaimRow>('claim_messages', CLAIM, { ...input, inFlightMax: PARALLELISM_MAX });
  const last = rows.find(({ id }) => id === null);
  if (last === undefined) throw new Error('a claim answers one row more than its messages');
  const works = rows.flatMap(({ lastLane: _lane, isLeft: _left, isMore: _more, nextInMs: _next, ...row }) =>
    row.id === null ? [] : [workOf(row)],
  );
  return {
    works,
    lastLane: last.lastLane ?? '',
    isLeft: last.isLeft === true,
    isMore: last.isMore === true,
    nextInMs: last.nextInMs,
  };
}

const CLAIM = `SELECT q.last_lane AS "lastLane", q.is_left AS "isLeft", q.is_more AS "isMore", q.next_in_ms AS "nextInMs",
    ${workColumns({ number: 'q.number', lost: 'q.lost' })}
  FROM claim_messages(:most, :share, :inFlightMax, :claim, :worker, :leaseMs * interval '1 millisecond', :afterLane) q,
    LATERAL (SELECT (q.message).*) m, LATERAL (SELECT (q.content).*) c`;

/** The messages that a claimer has in flight. */
export interface InFlight {
  claim: string;
  messageIds: readonly string[];
}

const LOST = `(SELECT count(*)::int FROM message_attempts l WHERE l.message_id = m.id AND l.status = 'abandoned')`;

/**
 * Locks messages whose lease has ended: their worker is lost, and with it what their attempt saw. But for those that this process itself has in
 * flight: it stood still for so long.
 */
export async function lockLostMessages(
  tx: EnvironmentTransaction,
  { most, inFlight }: { most: number; inFlight: InFlight },
): Promise<MessageWork[]> {
  const rows = await tx.rows<WorkRow>(
    'lock_lost_messages',
    `SELECT ${workColumns({ number: 'a.number', lost: LOST })} FROM lane_queue q JOIN messages m ON m.id = q.message_id
       JOIN message_attempts a ON a.message_id = m.id AND a.status = 'started' LEFT JOIN message_contents c ON c.message_id = m.id
     WHERE q.environment_id = current_environment_id() AND q.state = 'taken' AND q.lease_until <= clock_timestamp()
       AND NOT (q.claim = :claim AND q.message_id = ANY (:messageIds))
     ORDER BY q.message_id LIMIT :most FOR UPDATE OF q SKIP LOCKED`,
    { most, claim: inFlight.claim, messageIds: [...inFlight.messageIds] },
  );
  return rows.map(workOf);
}

/** Renews the leases of messages that this claimer has in flight. One that was given up meanwhile is left alone. */
export async function renewLeases(
  tx: EnvironmentTransaction,
  { claim, messageIds, leaseMs }: InFlight & { leaseMs: number },
): Promise<void> {
  await tx.raw(
    'renew_leases',
    `UPDATE lane_queue SET lease_until = clock_timestamp() + :leaseMs * interval '1 millisecond'
     WHERE message_id IN (SELECT q.message_id FROM lane_queue q WHERE q.message_id = ANY (:messageIds) AND q.claim = :claim
       FOR UPDATE SKIP LOCKED)`,
    { claim, messageIds: [...messageIds], leaseMs },
  );
}

/** What an attempt saw. */
export interface SeenResponse {
  status: number | null;
  headers: Record<string, string> | null;
  /** At most 8 KiB, with credentials removed. */
  body: Buffer | null;
}

export type Outcome =
  | { kind: 'delivered' }
  | { kind: 'failed'; error: string; reason: DeadLetterReason }
  /** `isAgain`: the attempt was lost and is made again, without a workflow that waits for it. */
  | { kind: 'retry'; error: string; delayMs: number; isAgain: boolean };

/** The end of an attempt, and what comes of its message. */
export interface AttemptEnd {
  messageId: string;
  number: number;
  /** `abandoned`: the worker was lost before the end of the attempt was recorded. */
  status: 'completed' | 'abandoned';
  seen: SeenResponse;
  /** Why no usable answer came. Null when one came, or when nobody knows. */
  failure: AttemptFailure | null;
  /** The address that was dialled. Null when none was, or when nobody knows. */
  address: string | null;
  /** How long the call took. Null when nobody knows. */
  latencyMs: number | null;
  outcome: Outcome;
}

/**
 * Records the ends of attempts, once each, with their outcomes. Returns the messages whose attempt it closed, and whether each has a
 * workflow; what an attempt saw that was closed before is ignored.
 */
export async function settleAttempts(
  tx: EnvironmentTransaction,
  ends: readonly AttemptEnd[],
): Promise<ReadonlyMap<string, { hasWorkflow: boolean }>> {
  const rows = await tx.rows<{ messageId: string; hasWorkflow: boolean }>(
    'settle_attempts',
    `SELECT message_id AS "messageId", has_workflow AS "hasWorkflow" FROM settle_attempts(CAST(:results AS jsonb))`,
    { results: JSON.stringify(ends.map(resultOf)) },
  );
  return new Map(rows.map(({ messageId, hasWorkflow }) => [messageId, { hasWorkflow }]));
}

function resultOf({ messageId, number, status, seen, failure, address, latencyMs, outcome }: AttemptEnd) {
  return {
    id: messageId,
    number,
    status,
    response_status: seen.status,
    response_headers: seen.headers,
    response_body: seen.body === null ? null : `\\x${seen.body.toString('hex')}`,
    failure,
    error: outcome.kind === 'delivered' ? null : outcome.error,
    address,
    latency_ms: latencyMs,
    outcome: outcome.kind,
    delay_ms: outcome.kind === 'retry' ? outcome.delayMs : null,
    is_again: outcome.kind === 'retry' && outcome.isAgain,
    reason: outcome.kind === 'failed' ? outcome.reason : null,
  };
}

/** A destination asked for a pause of all messages of these keys. The longest counts. In the order of the keys. */
export async function holdLanes(tx: EnvironmentTransaction, holdsMs: ReadonlyMap<string, number>): Promise<void> {
  for (const [laneId, holdMs] of [...holdsMs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await tx.raw(
      'hold_lanes',
      `UPDATE lanes SET held_until = GREATEST(held_until, clock_timestamp() + :holdMs * interval '1 millisecond') WHERE id = :laneId`,
      { laneId, holdMs },
    );
  }
}
