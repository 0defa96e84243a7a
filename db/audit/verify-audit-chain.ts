import type { WorkspaceTransaction } from '../client.ts';

export interface AuditChainState {
  /** The number of entries in the log. */
  entries: number;
  /** Each fault with the sequence of the entry where it shows, lowest first. Empty where the chain is intact. */
  breaks: AuditBreak[];
}

export interface AuditBreak {
  sequence: number;
  /**
   * `content`: the entry differs from what was hashed. `link`: it does not follow from the entry before. `end`: the log ends too
   * early or too late.
   */
  kind: 'content' | 'link' | 'end';
}

const BREAKS_MAX = 100;

/**
 * Recomputes the chain of the workspace's audit log. It detects an entry that was changed, removed (anywhere), inserted or moved.
 * It cannot detect that the owner of the database rewrote the whole chain: for that, keep the newest hash somewhere else.
 */
export async function verifyAuditChain(tx: WorkspaceTransaction): Promise<AuditChainState> {
  // One statement has one snapshot: an entry that is appended meanwhile is in both halves, or in neither.
  const { rows } = await tx.raw<{ rows: { entries: string; breaks: AuditBreak[] | null }[] }>(
    `WITH links AS (
       SELECT a.sequence, a.hash = audit_hash(a) AS intact,
         a.previous_hash IS NOT DISTINCT FROM lag(a.hash) OVER (ORDER BY a.sequence)
           AND a.sequence = row_number() OVER (ORDER BY a.sequence) AS chained
       FROM audit_log a WHERE a.workspace_id = current_workspace_id()),
     last AS (
       SELECT sequence, hash FROM audit_log WHERE workspace_id = current_workspace_id() ORDER BY sequence DESC LIMIT 1),
     chain_end AS (
       SELECT COALESCE(last.sequence, 0) AS sequence FROM audit_chains c FULL JOIN last ON true
       WHERE c.sequence IS DISTINCT FROM last.sequence OR c.hash IS DISTINCT FROM last.hash),
     breaks AS (
       SELECT sequence, 'content' AS kind FROM links WHERE NOT intact
       UNION ALL SELECT sequence, 'link' FROM links WHERE NOT chained
       UNION ALL SELECT sequence, 'end' FROM chain_end
       ORDER BY 1, 2 LIMIT :most)
     SELECT (SELECT count(*) FROM links) AS entries,
       (SELECT jsonb_agg(jsonb_build_object('sequence', sequence, 'kind', kind)) FROM breaks) AS breaks`,
    { most: BREAKS_MAX },
  );
  const row = rows[0];
  return { entries: Number(row?.entries ?? 0), breaks: row?.breaks ?? [] };
}
