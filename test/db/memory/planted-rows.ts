import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A collection with a memory and its vector, and an ingest with a chunk that is not stored. */
  async plant(owner, { environmentId: environment_id }) {
    const collection_id = newId('collection');
    await insert(owner, 'memory_collections', {
      id: collection_id,
      environment_id,
      name: 'planted',
      embedding_model: 'planted',
      embedding_dimensions: 2,
    });
    const memory_id = newId('memory');
    await insert(owner, 'memories', {
      id: memory_id,
      environment_id,
      collection_id,
      chain_id: memory_id,
      version: 1,
      kind: 'fact',
      content: 'planted',
    });
    await insert(owner, 'memory_vectors', { memory_id, environment_id, collection_id, embedding: '{1,0}' });
    const job_id = newId('memoryJob');
    await insert(owner, 'memory_jobs', { id: job_id, environment_id, collection_id, kind: 'ingest', template: {} });
    await insert(owner, 'memory_job_chunks', { job_id, position: 0, environment_id, content: 'planted' });
  },
};
