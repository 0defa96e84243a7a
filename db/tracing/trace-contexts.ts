import type { EnvironmentTransaction } from '../client.ts';

/** A record whose trace is looked for: one of these is set. */
export interface TracedRecord {
  invocationId?: string | undefined;
  effectId?: string | undefined;
  approvalId?: string | undefined;
  messageId?: string | undefined;
  eventId?: string | undefined;
}

/** The `traceparent` under which a record was made; null where its request was not traced. It never changes. */
export async function readTraceContext(tx: EnvironmentTransaction, record: TracedRecord): Promise<string | null> {
  const { invocationId = null, effectId = null, approvalId = null, messageId = null, eventId = null } = record;
  const row = await tx.row<{ context: string | null }>(
    'read_trace_context',
    `SELECT COALESCE(
       (SELECT trace_context FROM invocations WHERE id = :invocationId),
       (SELECT i.trace_context FROM effects e JOIN invocations i ON i.id = e.invocation_id WHERE e.id = :effectId),
       (SELECT trace_context FROM approvals WHERE id = :approvalId),
       (SELECT trace_context FROM messages WHERE id = :messageId),
       (SELECT trace_context FROM events WHERE id = :eventId)) AS context`,
    { invocationId, effectId, approvalId, messageId, eventId },
  );
  return row?.context ?? null;
}

/** A time in which an invocation stood still for others. */
export interface Wait {
  kind: 'approval' | 'place';
  /** Null for a place. */
  approvalId: string | null;
  from: Date;
  /** Null for a place: it ends when the call begins. */
  until: Date | null;
  /** The `traceparent` that the wait belongs under. */
  context: string | null;
}

/** The waits of an invocation that holds the place of its dispatch. */
export async function readWaits(tx: EnvironmentTransaction, invocationId: string): Promise<Wait[]> {
  return tx.rows<Wait>(
    'read_waits',
    `SELECT i.trace_context AS context, w.kind, w.id AS "approvalId", w.since AS "from", w.until
     FROM invocations i, LATERAL (
       SELECT 'approval' AS kind, a.id, a.created_at AS since, a.decided_at AS until FROM approvals a
       WHERE a.invocation_id = i.id AND a.decided_at IS NOT NULL
       UNION ALL
       SELECT 'place', NULL, p.asked_at, NULL FROM lane_places p
       WHERE p.environment_id = i.environment_id AND p.kind = 'dispatch' AND p.holder = i.id AND p.is_taken) w
     WHERE i.id = :invocationId`,
    { invocationId },
  );
}
