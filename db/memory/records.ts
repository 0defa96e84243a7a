import type { EmbeddingModel } from '../../domain/embeddings/embedder.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryKind, MemorySource } from '../../domain/memory/memories.ts';
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
