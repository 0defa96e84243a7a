import type { TestDatabase } from '../harness/database.ts';

/** What must hold of every row whatever happened. Source: architecture.md, "Invariants". Each query answers what violates it. */
const INVARIANTS: Record<string, string> = {
  'an invocation has one dispatch at most': `SELECT invocation_id FROM attempts WHERE kind = 'dispatch' GROUP BY 1 HAVING count(*) > 1`,
  'an invocation and its effect have the same grade':
    'SELECT i.id, i.grade, e.grade FROM invocations i JOIN effects e ON e.id = i.effect_id WHERE i.grade <> e.grade',
  'what is unknown or pending is held, and nothing else is': `
    SELECT id, outcome, unresolved_exposure FROM effects WHERE unresolved_exposure <> (outcome IN ('unknown', 'pending'))`,
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
  'the evidence of an effect is one unbroken chain': `
    SELECT v.id FROM evidence v LEFT JOIN evidence p ON p.effect_id = v.effect_id AND p.sequence = v.sequence - 1
    WHERE v.hash <> evidence_hash(v) OR v.previous_hash IS DISTINCT FROM p.hash OR (v.sequence > 1 AND p.id IS NULL)`,
};

/** All violations, by the invariant's name; empty where all is well. */
export async function violatedInvariants(database: TestDatabase): Promise<Record<string, object[]>> {
  const found: [string, object[]][] = [];
  for (const [name, sql] of Object.entries(INVARIANTS)) {
    const rows = await database.asOwner(sql);
    if (rows.length > 0) found.push([name, rows]);
  }
  return Object.fromEntries(found);
}
