import type { TestDatabase } from '../harness/database.ts';

/** Invariants of reservations against impact limits. Each query returns the violations. */
export const LIMIT_INVARIANTS: Record<string, string> = {
  'the counters of a limit are the sums of its reservations': `
    SELECT p.limit_id, p.period, p.reserved, p.settled FROM impact_limit_periods p
      LEFT JOIN impact_reservations r ON r.limit_id = p.limit_id AND r.period = p.period
    GROUP BY p.limit_id, p.period HAVING p.reserved <> COALESCE(sum(r.amount) FILTER (WHERE r.state = 'reserved'), 0)
      OR p.settled <> COALESCE(sum(r.settled), 0)`,
  'the reservations of an effect stand where it does': `
    SELECT r.id, r.state, r.exposure, e.stage, e.outcome FROM impact_reservations r JOIN effects e ON e.id = r.effect_id
    WHERE concat_ws('/', r.state, r.exposure) IS DISTINCT FROM reservation_place(e.stage, e.outcome, e.partial_effect)`,
  'a reservation is held while the outcome is unknown or pending, and no longer': `
    SELECT r.id, r.state, e.outcome FROM impact_reservations r JOIN effects e ON e.id = r.effect_id
    WHERE (r.state = 'reserved') <> (e.outcome IN ('unknown', 'pending'))`,
};

/**
 * Invariants of every row, after any fault. They hold in every committed state, so a test may ask at any moment. One exception:
 * an answer whose settlement failed on every early try is unsettled until the sweep. Source: architecture.md, "Invariants".
 */
const INVARIANTS: Record<string, string> = {
  ...LIMIT_INVARIANTS,
  'an invocation has one dispatch at most': `SELECT invocation_id FROM attempts WHERE kind = 'dispatch' GROUP BY 1 HAVING count(*) > 1`,
  'an invocation and its effect have the same grade':
    'SELECT i.id, i.grade, e.grade FROM invocations i JOIN effects e ON e.id = i.effect_id WHERE i.grade <> e.grade',
  'an effect that succeeded has the word of the provider': `
    SELECT e.id FROM effects e WHERE e.outcome = 'succeeded' AND NOT EXISTS (
      SELECT FROM evidence v WHERE v.effect_id = e.id AND v.source = e.outcome_source AND v.implied_outcome = 'succeeded')`,
  'an effect that failed has the word of the provider, or the proof that nothing was sent': `
    SELECT e.id FROM effects e WHERE e.outcome = 'failed' AND NOT EXISTS (
      SELECT FROM evidence v WHERE v.effect_id = e.id AND v.source = e.outcome_source
        AND v.implied_outcome = CASE e.outcome_source WHEN 'system' THEN 'not_dispatched' ELSE 'failed' END)
      AND NOT EXISTS (SELECT FROM attempts a WHERE a.invocation_id = e.invocation_id AND a.kind = 'dispatch' AND a.claimed_at IS NULL)`,
  'an effect that is unknown has no decisive word of its provider': `
    SELECT e.id FROM effects e JOIN evidence v ON v.effect_id = e.id WHERE e.outcome = 'unknown'
      AND v.source IN ('provider_response', 'provider_lookup') AND v.implied_outcome IN ('succeeded', 'failed', 'pending')`,
  'what has come to rest has left no dispatch open': `
    SELECT i.id FROM invocations i JOIN attempts a ON a.invocation_id = i.id AND a.kind = 'dispatch' AND a.status = 'started'
    WHERE i.status NOT IN ('queued', 'dispatching')`,
  'what is under way has the start of its workflow, and what is at rest has none': `
    SELECT i.id, i.status FROM invocations i LEFT JOIN workflow_starts s ON s.id = i.id
    WHERE (i.status IN ('queued', 'dispatching') AND i.outcome_source IS NULL) <> (s.id IS NOT NULL)`,
  'the chain of an effect goes on from entry to entry': `
    SELECT r.effect_id, r.sequence FROM receipt_entries r LEFT JOIN receipt_entries p ON p.effect_id = r.effect_id AND p.sequence = r.sequence - 1
    WHERE r.previous_hash IS DISTINCT FROM p.hash OR (r.sequence > 1 AND p.effect_id IS NULL)`,
  'every attempt of an effect, and every piece of evidence, has its entries': `
    SELECT e.id, a.id AS record FROM effects e JOIN attempts a ON a.invocation_id = e.invocation_id
    WHERE (SELECT count(*) FROM receipt_entries r WHERE r.effect_id = e.id AND r.record_id = a.id AND r.kind LIKE 'attempt%')
      <> 1 + (a.claimed_at IS NOT NULL)::int + (a.status <> 'started')::int
    UNION ALL SELECT v.effect_id, v.id FROM evidence v WHERE NOT EXISTS (
      SELECT FROM receipt_entries r WHERE r.record_id = v.id AND r.hash = receipt_hash(r, receipt_content(v)))`,
};

/** All violations, by the invariant's name; empty if there are none. */
export async function violatedInvariants(
  database: TestDatabase,
  invariants = INVARIANTS,
): Promise<Record<string, object[]>> {
  const found: [string, object[]][] = [];
  for (const [name, sql] of Object.entries(invariants)) {
    const rows = await database.asOwner(sql);
    if (rows.length > 0) found.push([name, rows]);
  }
  return Object.fromEntries(found);
}
