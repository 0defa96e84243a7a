import type { EmbeddingModel } from '../../domain/embeddings/embedder.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryFilter, MemoryKind, MemoryMoment, MemorySource } from '../../domain/memory/memories.ts';
import { selected } from '../columns.ts';

export interface CollectionRecord {
  id: string;
  name: string;
  description: string | null;
  embedding: EmbeddingModel;
  memoryCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Counts what lists show: newest versions that have not expired. */
export const COLLECTION_COLUMNS = selected({
  id: 'c.id',
  name: 'c.name',
  description: 'c.description',
  embedding: `jsonb_build_object('model', c.embedding_model, 'dimensions', c.embedding_dimensions)`,
  memoryCount: `(SELECT count(*)::int FROM memories m WHERE m.collection_id = c.id AND m.superseded_by IS NULL
    AND (m.expires_at IS NULL OR m.expires_at > now()))`,
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
});

export interface MemoryRecord {
  id: string;
  collectionId: string;
  kind: MemoryKind;
  content: string;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  source: MemorySource | null;
  metadata: JsonObject;
  validFrom: Date;
  /** Exclusive: where it ended by itself, or where a later version began to hold. */
  validTo: Date | null;
  createdAt: Date;
  supersededBy: string | null;
  expiresAt: Date | null;
}

const COMMON = {
  id: 'm.id',
  collectionId: 'm.collection_id',
  kind: 'm.kind',
  content: 'm.content',
  userId: 'm.user_id',
  agentId: 'm.agent_id',
  sessionId: 'm.session_id',
  source: `CASE WHEN m.source_type IS NULL THEN NULL ELSE jsonb_build_object('type', m.source_type, 'id', m.source_id) END`,
  metadata: 'm.metadata',
  validFrom: 'm.valid_from',
  createdAt: 'm.created_at',
  expiresAt: 'm.expires_at',
};

export const MEMORY_COLUMNS = selected({
  ...COMMON,
  validTo: 'least(m.valid_to, m.holds_until)',
  supersededBy: 'm.superseded_by',
});

/** The same as it was recorded at `:asOf`: later versions had not been recorded yet. */
export const MEMORY_COLUMNS_AS_OF = selected({
  ...COMMON,
  validTo: `least(m.valid_to, (SELECT min(v.valid_from) FROM memories v
    WHERE v.chain_id = m.chain_id AND v.version > m.version AND v.created_at <= :asOf))`,
  supersededBy: 'CASE WHEN m.superseded_at <= :asOf THEN m.superseded_by END',
});

/** A memory is there until it expires, and while its collection is. */
export const IS_THERE = `(m.expires_at IS NULL OR m.expires_at > now())
  AND EXISTS (SELECT FROM memory_collections c WHERE c.id = m.collection_id AND c.deleted_at IS NULL)`;

export interface Conditions {
  /** Over `memories m`, joined by AND. Each condition that is not asked for costs a search nothing. */
  sql: string;
  bindings: Record<string, unknown>;
}

export interface Wanted {
  /** Collections that are there: row-level security has seen to whose they are. */
  collectionIds: readonly string[];
  filter: Omit<MemoryFilter, 'collectionIds'>;
  /** Null matches every time. */
  moment: MemoryMoment | null;
  /** Without a moment: also versions that a later one has superseded. */
  includeSuperseded?: boolean;
  /** Also what has expired and is about to be deleted. */
  includeExpired?: boolean;
}

/** Which memories a list, a search or a forgetting is about. */
export function conditionsOf(wanted: Wanted): Conditions {
  const { collectionIds, filter, moment, includeSuperseded = false, includeExpired = false } = wanted;
  const parts: [string, Record<string, unknown>][] = [
    // In a subquery, as the clock below: PostgreSQL then computes it once, and not for each of a hundred thousand rows.
    ['m.environment_id = (SELECT current_environment_id())', {}],
    ['m.collection_id = ANY (:collectionIds)', { collectionIds }],
  ];
  if (!includeExpired) parts.push(['(m.expires_at IS NULL OR m.expires_at > now())', {}]);
  const { memoryId, userId, agentId, sessionId, kind, source, metadata } = filter;
  if (memoryId !== undefined) parts.push(['m.id = :memoryId', { memoryId }]);
  if (userId !== undefined) parts.push(['m.user_id = :userId', { userId }]);
  if (agentId !== undefined) parts.push(['m.agent_id = :agentId', { agentId }]);
  if (sessionId !== undefined) parts.push(['m.session_id = :sessionId', { sessionId }]);
  if (kind !== undefined) parts.push(['m.kind = :kind', { kind }]);
  if (source !== undefined) {
    parts.push(['m.source_type = :sourceType', { sourceType: source.type }]);
    if (source.id !== undefined) parts.push(['m.source_id = :sourceId', { sourceId: source.id }]);
  }
  if (metadata !== undefined) {
    parts.push(['m.metadata @> CAST(:metadata AS jsonb)', { metadata: JSON.stringify(metadata) }]);
  }
  if (moment !== null) parts.push(momentCondition(moment));
  else if (!includeSuperseded) parts.push(['m.superseded_by IS NULL', {}]);
  return {
    sql: parts.map(([sql]) => sql).join(' AND '),
    bindings: Object.assign({}, ...parts.map(([, bound]) => bound)),
  };
}

/** The meaning of the columns: db/migrations/0034-memory.ts. */
function momentCondition({ asOf, validAt }: MemoryMoment): [string, Record<string, unknown>] {
  if (validAt !== undefined) {
    return [
      `m.valid_from <= :validAt AND (m.valid_to IS NULL OR m.valid_to > :validAt) AND (m.holds_until IS NULL OR m.holds_until > :validAt)`,
      { validAt },
    ];
  }
  if (asOf !== undefined) {
    return [
      `m.created_at <= :asOf AND m.valid_from <= :asOf AND (m.valid_to IS NULL OR m.valid_to > :asOf)
       AND (m.replaced_from IS NULL OR m.replaced_from > :asOf)`,
      { asOf },
    ];
  }
  // A version may be dated a millisecond ahead, because it is recorded after the one before it.
  return [
    `m.valid_from <= (SELECT statement_timestamp() + interval '1 millisecond')
     AND (m.valid_to IS NULL OR m.valid_to > (SELECT statement_timestamp()))
     AND (m.replaced_from IS NULL OR m.replaced_from > (SELECT statement_timestamp() + interval '1 millisecond'))`,
    {},
  ];
}
