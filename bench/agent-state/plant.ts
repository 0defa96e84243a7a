import type { Client } from 'pg';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import type { Database, Tenant } from '../../db/client.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { createCollection } from '../../db/memory/collections.ts';
import { storeMemories } from '../../db/memory/changes.ts';
import type { Embedder } from '../../domain/embeddings/embedder.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { bitsOf } from './plain.ts';
import type { Texts } from './texts.ts';

const PAGE = 1_000;

export interface Place {
  tenant: Tenant;
  key: string;
}

export interface Searched extends Place {
  collectionId: string;
  memories: number;
  /** The plain side's table with the same memories, without an index over its vectors. */
  table: string;
}

/** A workspace without limits, with a key of every scope. */
export async function plantWorkspace(db: Database, name: string): Promise<Place> {
  const { workspaceId, environments } = await createWorkspace(db, name, 'enterprise', ENVIRONMENT_KINDS);
  const tenant = { workspaceId, environmentId: environments[0]?.id ?? '' };
  const { key } = await db.withEnvironment(tenant, (tx) => createApiKey(tx, { name: 'bench', scopes: SCOPES }));
  return { tenant, key };
}

/** A workspace with one collection of so many memories, and a plain table with the same. */
export async function plantMemories(
  { db, owner, embedder, texts }: { db: Database; owner: Client; embedder: Embedder; texts: Texts },
  memories: number,
): Promise<Searched> {
  const place = await plantWorkspace(db, `${memories} memories`);
  const { workspaceId } = place.tenant;
  const embedding = await embedder.model({ workspaceId });
  const { id: collectionId } = await db.withEnvironment(place.tenant, (tx) =>
    createCollection(tx, { name: 'bench', description: null, embedding }),
  );
  const table = `plain_memories_${memories}`;
  await owner.query(`CREATE TABLE ${table} (id text PRIMARY KEY, content text NOT NULL, signs bit(${embedding.dimensions}) NOT NULL,
    embedding real[] NOT NULL, terms tsvector GENERATED ALWAYS AS (to_tsvector('english', content)) STORED)`);
  for (let stored = 0; stored < memories; stored += PAGE) {
    const contents = Array.from({ length: Math.min(PAGE, memories - stored) }, () => texts.memory());
    const { vectors } = await embedder.embed(contents, { workspaceId });
    const ids = await db.withEnvironment(place.tenant, (tx) =>
      storeMemories(
        tx,
        collectionId,
        contents.map((content, index) => ({ ...PLAIN, content, vector: vectors[index] ?? new Float32Array() })),
      ),
    );
    await owner.query(
      `INSERT INTO ${table} (id, content, signs, embedding)
       SELECT id, content, CAST(signs AS bit varying), CAST(embedding AS real[])
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS n (id, content, signs, embedding)`,
      [ids, contents, vectors.map(bitsOf), vectors.map((vector) => `{${vector.join(',')}}`)],
    );
  }
  await owner.query(`CREATE INDEX ON ${table} USING gin (terms)`);
  await owner.query(`VACUUM ANALYZE ${table}`);
  await owner.query('VACUUM ANALYZE memories');
  await owner.query('VACUUM ANALYZE memory_vectors');
  return { ...place, collectionId, memories, table };
}

const PLAIN = {
  kind: 'fact',
  userId: null,
  agentId: null,
  sessionId: null,
  source: null,
  metadata: {},
  validFrom: null,
  validTo: null,
  expiresAt: null,
} as const;
