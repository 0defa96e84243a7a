import type { z } from 'zod';
import { admitToBudget } from '../../db/budgets/admission.ts';
import { type CacheEntryRecord, getEntry } from '../../db/cache/entries.ts';
import { type Candidate, countLookup, findCandidates, findExactEntry, noteHit } from '../../db/cache/lookups.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { GATED_CHARACTERS_MAX, type LookupReason, THRESHOLD_DEFAULT } from '../../domain/cache/cache.ts';
import { type GateReason, gateOf } from '../../domain/cache/gate.ts';
import { dotProduct, type Embedded } from '../../domain/embeddings/embedder.ts';
import { defineRoute } from '../http/define-route.ts';
import { type AskedIdentity, identityOf } from './identity.ts';
import { lookupBody, lookupSchema, presentEntry } from './schemas.ts';

interface Found {
  reason: LookupReason;
  entryId: string | null;
  similarity: number | null;
  gate: GateReason[];
}

/** Storing the same prompt gives an entry another id, so a found entry may be gone when it is returned: then search again. */
const LOOKS_MAX = 2;

export const lookUpRoute = defineRoute({
  of: 'environment',
  id: 'cache.lookup',
  method: 'POST',
  path: '/api/v2/cache/lookup',
  summary: 'Look an answer up',
  description:
    'Answers the same prompt (Unicode form, letter case, white space and closing punctuation aside). Only with `near: true` a near one is ' +
    'answered too, where it is alike enough and differs only in words that are known to be harmless: articles, politeness, contractions, ' +
    "singular and plural. Each lookup counts in the key's budget (`cacheLookups`).",
  scope: 'cache:read',
  request: { body: lookupBody },
  response: { 200: lookupSchema },
  errors: [...BUDGET_ERRORS],
  ownsItsTransaction:
    'It is counted first, and holds no lock of the budget and no connection while its prompt is embedded.',
  audited: 'none: a lookup changes its own counters alone',
  async handler({ body, caller, deps, transaction }) {
    const asked = identityOf(body);
    const same = await transaction(async (tx) => {
      if (caller.type === 'api_key') {
        await admitToBudget(tx, { apiKeyId: caller.keyId, kind: 'cacheLookups', count: 1 });
      }
      const exact = await answerOf(tx, body, () => findExact(tx, asked));
      if (exact !== null) return replyOf(tx, body, exact);
      return body.near === true ? null : replyOf(tx, body, NOT_EXACT);
    });
    if (same !== null) return same;
    const embedded = await deps.embedder.embed([body.prompt], { workspaceId: caller.tenant.workspaceId });
    return transaction(async (tx) => {
      const near = await answerOf(tx, body, () => findNear(tx, body, asked, embedded));
      return replyOf(tx, body, near ?? NOTHING);
    });
  },
});

type Lookup = z.output<typeof lookupBody>;

interface Answer {
  found: Found;
  entry: (CacheEntryRecord & { tokens?: number }) | null;
}

const NOT_EXACT: Answer = { found: { reason: 'not_exact', entryId: null, similarity: null, gate: [] }, entry: null };
const NOTHING: Answer = { found: { reason: 'empty', entryId: null, similarity: null, gate: [] }, entry: null };

/** Returns null when nothing was found, or the entry disappeared meanwhile. */
async function answerOf(
  tx: EnvironmentTransaction,
  { shadow = false }: Pick<Lookup, 'shadow'>,
  find: () => Promise<Found | null>,
): Promise<Answer | null> {
  for (let look = 1; look <= LOOKS_MAX; look++) {
    const found = await find();
    if (found === null) return null;
    if (found.entryId === null) return { found, entry: null };
    const entry = await (shadow ? getEntry(tx, found.entryId) : noteHit(tx, found.entryId));
    if (entry !== null) return { found, entry };
  }
  return null;
}

async function replyOf(tx: EnvironmentTransaction, { shadow = false }: Lookup, { found, entry }: Answer) {
  const { reason, similarity, gate } = found;
  const wouldHit = entry !== null;
  if (!shadow) {
    await countLookup(tx, wouldHit ? 'hits' : reason === 'gated' ? 'gated' : 'misses', entry?.tokens ?? 0);
  }
  return {
    status: 200,
    data: { hit: wouldHit && !shadow, wouldHit, entry: entry && presentEntry(entry), similarity, reason, gate },
  };
}

async function findExact(tx: EnvironmentTransaction, asked: AskedIdentity): Promise<Found | null> {
  const exact = await findExactEntry(tx, asked);
  return exact && { reason: 'exact', entryId: exact.id, similarity: 1, gate: [] };
}

async function findNear(
  tx: EnvironmentTransaction,
  body: Lookup,
  { identity }: AskedIdentity,
  { model: embeddingModel, vectors: [vector] }: Embedded,
): Promise<Found> {
  if (vector === undefined) throw new Error('each text has a vector');
  const candidates = await findCandidates(tx, { identity, embeddingModel, vector });
  return nearest(body.prompt, vector, candidates, body.threshold ?? THRESHOLD_DEFAULT);
}

/** The most similar candidate that passes the gate, or the reason why there is none. */
export function nearest(
  prompt: string,
  vector: Float32Array,
  candidates: readonly Candidate[],
  threshold: number,
): Found {
  const alike = candidates
    .map((candidate) => ({ ...candidate, similarity: Math.min(dotProduct(vector, candidate.vector), 1) }))
    .toSorted((a, b) => b.similarity - a.similarity);
  const [first] = alike;
  if (first === undefined) return { reason: 'empty', entryId: null, similarity: null, gate: [] };
  if (first.similarity < threshold)
    return { reason: 'below_threshold', entryId: null, similarity: first.similarity, gate: [] };
  const gate = gateOf(prompt);
  const differing = gate(first.prompt);
  if (differing.length === 0) return { reason: 'near', entryId: first.id, similarity: first.similarity, gate: [] };
  let characters = first.prompt.length;
  for (const { id, prompt: stored, similarity } of alike.slice(1)) {
    characters += stored.length;
    if (similarity < threshold || characters > GATED_CHARACTERS_MAX) break;
    if (gate(stored).length === 0) return { reason: 'near', entryId: id, similarity, gate: [] };
  }
  return { reason: 'gated', entryId: null, similarity: first.similarity, gate: differing };
}
