import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** An entry and the counters of its environment. */
  async plant(owner, { environmentId: environment_id }) {
    const digest = Buffer.alloc(32, environment_id);
    const is = {
      namespace: 'default',
      attributes: '{}',
      prompt: 'planted',
      response: '"planted"',
      tokens: 2,
      bytes: 16,
    };
    const vector = { embedding_model: 'planted', embedding: Buffer.alloc(4), signs: '1', expires_at: '2099-01-01' };
    const id = newId('cacheEntry');
    await insert(owner, 'cache_entries', {
      id,
      environment_id,
      identity: digest,
      prompt_digest: digest,
      ...is,
      ...vector,
    });
    await insert(owner, 'cache_counters', { environment_id, shard: 0, hits: 0, misses: 1, gated: 0, tokens_saved: 0 });
  },
};
