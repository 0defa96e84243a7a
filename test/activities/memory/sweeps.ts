import { newId } from '../../../domain/ids.ts';
import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, deletingById, starting, threeIds } from '../maintenance/sweep-declarations.ts';

async function plantCollection({ database }: ActivityWorld): Promise<string> {
  const id = newId('collection');
  await database.asOwner(
    `INSERT INTO memory_collections (id, environment_id, name, embedding_model, embedding_dimensions) VALUES ($1, $2, $1, 'fake', 2)`,
    [id, database.tenant.environmentId],
  );
  return id;
}

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/memory_job': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('memoryJob');
      await asOwner(
        `INSERT INTO memory_jobs (id, environment_id, collection_id, kind, template, looked_at)
         SELECT id, $2, $3, 'ingest', '{}', now() - interval '1 hour' FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId, await plantCollection(world)],
      );
      return {
        ...starting(ids, 'wakeMemoryJob'),
        end: () => asOwner('DELETE FROM memory_jobs WHERE id = ANY ($1)', [ids]), // as with a collection
      };
    },
    'expired-memories': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('memory');
      await asOwner(
        `INSERT INTO memories (id, environment_id, collection_id, chain_id, version, kind, content, expires_at)
         SELECT id, $2, $3, id, 1, 'fact', 'a word', now() - interval '1 second' FROM unnest($1::text[]) id`,
        [ids, tenant.environmentId, await plantCollection(world)],
      );
      return deletingById(world, 'memories', ids);
    },
  },
};
