import type { Database, WorkspaceTransaction } from '../client.ts';
import { listEffectIds } from '../effects/queries.ts';
import { verifyReceipts } from '../effects/verify-receipts.ts';
import { listEveryEnvironment } from '../environments/directory.ts';

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

/** The number of entries in one statement; a statement's time is limited. */
export const ENTRIES_AT_ONCE = 5_000;

/** Entries in the order of their sequence, and what of them the next page follows from. */
interface Page {
  count: number;
  /** The sequence of the last entry, a bigint as text; null where there is none. */
  sequence: string | null;
  hash: string | null;
  breaks: AuditBreak[] | null;
}

/**
 * Recomputes the chain of a workspace's audit log. It detects an entry that was changed, removed (anywhere), inserted or moved.
 * It cannot detect that the owner of the database rewrote the whole chain: for that, keep the newest hash somewhere else.
 *
 * It reads page by page in one snapshot: an entry that is appended meanwhile is in no page, and the chain's end does not count it.
 */
export async function verifyAuditChain(
  db: Pick<Database, 'withWorkspace'>,
  workspaceId: string,
  entriesAtOnce = ENTRIES_AT_ONCE,
): Promise<AuditChainState> {
  return db.withWorkspace(workspaceId, (tx) => verifyPages(tx, entriesAtOnce), { isSnapshot: true });
}

async function verifyPages(tx: WorkspaceTransaction, entriesAtOnce: number): Promise<AuditChainState> {
  const breaks: AuditBreak[] = [];
  let entries = 0;
  let last: Pick<Page, 'sequence' | 'hash'> = { sequence: null, hash: null };
  for (;;) {
    const page = await verifyPage(tx, { entriesAtOnce, entries, ...last });
    entries += page.count;
    breaks.push(...(page.breaks ?? []));
    if (page.count > 0) last = page;
    if (page.count < entriesAtOnce) break;
  }
  if (await endsElsewhere(tx, last)) breaks.push({ sequence: Number(last.sequence ?? 0), kind: 'end' });
  return { entries, breaks: breaks.slice(0, BREAKS_MAX) };
}

/** Verifies the entries behind the last one of the page before, which was the entry number `entries` and had this hash. */
async function verifyPage(
  tx: WorkspaceTransaction,
  before: { entriesAtOnce: number; entries: number; sequence: string | null; hash: string | null },
): Promise<Page> {
  const { rows } = await tx.raw<{ rows: [Page] }>(
    'verify_page',
    `WITH page AS (
       SELECT a AS entry, a.sequence, a.hash, a.previous_hash FROM audit_log a
       WHERE a.workspace_id = current_workspace_id() AND a.sequence > COALESCE(:sequence::bigint, '-9223372036854775808')
       ORDER BY a.sequence LIMIT :entriesAtOnce),
     links AS (
       SELECT p.sequence, p.hash, p.hash = audit_hash(p.entry) AS intact,
         p.previous_hash IS NOT DISTINCT FROM lag(p.hash, 1, :hash::text) OVER (ORDER BY p.sequence)
           AND p.sequence = :entries::bigint + row_number() OVER (ORDER BY p.sequence) AS chained
       FROM page p),
     breaks AS (
       SELECT sequence, 'content' AS kind FROM links WHERE NOT intact
       UNION ALL SELECT sequence, 'link' FROM links WHERE NOT chained
       ORDER BY 1, 2 LIMIT :most)
     SELECT (SELECT count(*)::int FROM links) AS count,
       (SELECT max(sequence)::text FROM links) AS sequence,
       (SELECT hash FROM links ORDER BY sequence DESC LIMIT 1) AS hash,
       (SELECT jsonb_agg(jsonb_build_object('sequence', sequence, 'kind', kind)) FROM breaks) AS breaks`,
    { ...before, most: BREAKS_MAX },
  );
  return rows[0];
}

/** True where what the database keeps as the end of the chain is not the last entry of the log. */
async function endsElsewhere(
  tx: WorkspaceTransaction,
  { sequence, hash }: Pick<Page, 'sequence' | 'hash'>,
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: [{ isElsewhere: boolean }] }>(
    'ends_elsewhere',
    `SELECT c.sequence IS DISTINCT FROM :sequence::bigint OR c.hash IS DISTINCT FROM :hash::text AS "isElsewhere"
     FROM (SELECT) one LEFT JOIN audit_chains c ON c.workspace_id = current_workspace_id()`,
    { sequence, hash },
  );
  return rows[0].isElsewhere;
}

export interface ChainsState {
  workspaces: number;
  auditEntries: number;
  /** Zero where receipts were not verified. */
  effects: number;
  /** One line for each fault, with its location. */
  breaks: string[];
}

/** The number of effects in one statement; a statement's time is limited. */
export const EFFECTS_AT_ONCE = 200;

/** Recomputes the audit chain of every workspace and, on request, the receipt of every effect. Writes nothing. */
export async function verifyChains(db: Database, options: { receipts: boolean }): Promise<ChainsState> {
  const tenants = await listEveryEnvironment(db);
  const state: ChainsState = { workspaces: 0, auditEntries: 0, effects: 0, breaks: [] };
  for (const workspaceId of new Set(tenants.map((tenant) => tenant.workspaceId))) {
    const { entries, breaks } = await verifyAuditChain(db, workspaceId);
    state.workspaces += 1;
    state.auditEntries += entries;
    for (const { sequence, kind } of breaks) state.breaks.push(`workspace ${workspaceId}, entry ${sequence}: ${kind}`);
  }
  if (!options.receipts) return state;
  for (const tenant of tenants) {
    let effectIds: string[] = [];
    do {
      const after = effectIds.at(-1) ?? '';
      effectIds = await db.withEnvironment(tenant, (tx) => listEffectIds(tx, after, EFFECTS_AT_ONCE));
      for (const { effectId, brokenAt } of await db.withEnvironment(tenant, (tx) => verifyReceipts(tx, effectIds))) {
        state.effects += 1;
        if (brokenAt === null) continue;
        const where = [`entry ${brokenAt.sequence ?? '(none)'}`, brokenAt.kind, brokenAt.recordId].filter(
          (word) => word !== null,
        );
        state.breaks.push(
          `environment ${tenant.environmentId}, effect ${effectId}, ${where.join(', ')}: ${brokenAt.problem}`,
        );
      }
    } while (effectIds.length === EFFECTS_AT_ONCE);
  }
  return state;
}
