import type { ReceiptEntryKind } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The number of records whose hash was right. */
export interface CheckedRecords {
  evidence: number;
  attempts: number;
  resolutions: number;
}

/**
 * The first fault of a receipt's chain. `content`: the record differs from what was hashed, or is missing. `link`: the entry does
 * not follow from the one before. `end`: the chain ends too early or too late. `unchained`: the record has no entry.
 */
export interface ReceiptBreak {
  /** Null for a record without an entry. */
  sequence: number | null;
  problem: 'content' | 'link' | 'end' | 'unchained';
  kind: ReceiptEntryKind | null;
  recordId: string | null;
}

export interface ReceiptState {
  effectId: string;
  entries: number;
  checked: CheckedRecords;
  /** The last entry; null for an empty chain. A copy of it elsewhere reveals a chain that was rewritten as a whole. */
  head: { sequence: number; hash: string | null } | null;
  brokenAt: ReceiptBreak | null;
}

/** Each entry, with its content recomputed from its record. Null content: the effect has no such record. */
const ENTRIES = `
  SELECT r.effect_id, r.sequence, r.kind, r.record_id, r.hash,
    r.previous_hash IS NOT DISTINCT FROM lag(r.hash) OVER chain AND r.sequence = row_number() OVER chain AS chained,
    COALESCE(r.hash = receipt_hash(r, CASE r.kind
      WHEN 'evidence' THEN (SELECT receipt_content(v) FROM evidence v WHERE v.id = r.record_id AND v.effect_id = r.effect_id)
      WHEN 'late_answer' THEN (SELECT receipt_content(l) FROM late_answers l JOIN attempts a ON a.id = l.attempt_id
        WHERE l.attempt_id = r.record_id AND a.invocation_id = e.invocation_id)
      WHEN 'resolution' THEN (SELECT receipt_content(s) FROM resolutions s WHERE s.id = r.record_id AND s.effect_id = r.effect_id)
      ELSE (SELECT receipt_content(a, r.kind) FROM attempts a WHERE a.id = r.record_id AND a.invocation_id = e.invocation_id)
    END), false) AS intact
  FROM receipt_entries r JOIN effects e ON e.id = r.effect_id WHERE r.effect_id = ANY(:effectIds)
  WINDOW chain AS (PARTITION BY r.effect_id ORDER BY r.sequence)`;

/** The entries that the records require. */
const RECORDS = `
  SELECT v.effect_id, 'evidence' AS kind, v.id AS record_id FROM evidence v WHERE v.effect_id = ANY(:effectIds)
  UNION ALL
  SELECT e.id, k.kind, a.id FROM effects e JOIN attempts a ON a.invocation_id = e.invocation_id LEFT JOIN late_answers l ON l.attempt_id = a.id,
    LATERAL (VALUES ('attempt_started', true), ('attempt_claimed', a.claimed_at IS NOT NULL), ('attempt_ended', a.status <> 'started'),
      ('late_answer', l.attempt_id IS NOT NULL)) k (kind, is_due)
  WHERE e.id = ANY(:effectIds) AND k.is_due
  UNION ALL
  SELECT s.effect_id, 'resolution', s.id FROM resolutions s WHERE s.effect_id = ANY(:effectIds)`;

/**
 * Recomputes the chains of these effects from their records. It detects what was changed, removed (from the end too), inserted,
 * or moved to another effect. It cannot detect that the owner of the database rewrote a whole chain: for that, keep heads
 * elsewhere.
 */
export async function verifyReceipts(
  tx: EnvironmentTransaction,
  effectIds: readonly string[],
): Promise<ReceiptState[]> {
  // One statement has one snapshot: an entry that is appended meanwhile is in all of it, or in none.
  return tx.rows<ReceiptState>(
    'verify_receipts',
    `WITH entries AS MATERIALIZED (${ENTRIES}), records AS (${RECORDS}),
     breaks AS (
       SELECT effect_id, sequence, 'content' AS problem, kind, record_id FROM entries WHERE NOT intact
       UNION ALL SELECT effect_id, sequence, 'link', kind, record_id FROM entries WHERE NOT chained
       UNION ALL SELECT c.effect_id, c.sequence, 'end', NULL, NULL FROM receipt_chains c WHERE c.effect_id = ANY(:effectIds)
         AND ROW(c.sequence, c.hash) IS DISTINCT FROM (SELECT ROW(n.sequence, n.hash) FROM entries n
           WHERE n.effect_id = c.effect_id ORDER BY n.sequence DESC LIMIT 1)
       UNION ALL SELECT n.effect_id, max(n.sequence), 'end', NULL, NULL FROM entries n
         WHERE NOT EXISTS (SELECT FROM receipt_chains c WHERE c.effect_id = n.effect_id) GROUP BY n.effect_id
       UNION ALL SELECT d.effect_id, NULL, 'unchained', d.kind, d.record_id FROM records d WHERE NOT EXISTS (
         SELECT FROM entries n WHERE n.effect_id = d.effect_id AND n.kind = d.kind AND n.record_id = d.record_id))
     SELECT e.id AS "effectId", (SELECT count(*)::int FROM entries n WHERE n.effect_id = e.id) AS entries,
       (SELECT jsonb_build_object('evidence', count(*) FILTER (WHERE n.kind = 'evidence'),
          'attempts', count(DISTINCT n.record_id) FILTER (WHERE n.kind LIKE 'attempt%'),
          'resolutions', count(*) FILTER (WHERE n.kind = 'resolution')) FROM entries n WHERE n.effect_id = e.id AND n.intact) AS checked,
       (SELECT jsonb_build_object('sequence', c.sequence, 'hash', c.hash) FROM receipt_chains c WHERE c.effect_id = e.id) AS head,
       (SELECT jsonb_build_object('sequence', b.sequence, 'problem', b.problem, 'kind', b.kind, 'recordId', b.record_id)
        FROM breaks b WHERE b.effect_id = e.id ORDER BY b.sequence NULLS LAST, b.problem, b.record_id LIMIT 1) AS "brokenAt"
     FROM effects e WHERE e.id = ANY(:effectIds) ORDER BY e.id`,
    { effectIds: [...effectIds] },
  );
}
