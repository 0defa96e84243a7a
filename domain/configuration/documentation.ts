import { pathPrefixSchema, publicUrlSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

/** Where the documentation is reached: docs/documentation-api.md. */
export const DOCUMENTATION = {
  DOCS_URL: {
    meaning:
      'Origin that readers reach the documentation by, for example `https://docs.example.com`; its addresses begin with it. Not set: they are relative to the root of the host.',
    default: null,
    processes: ['api', 'embedded'],
    schema: publicUrlSchema,
  },
  DOCS_BASE: {
    meaning: 'Path in front of everything that the documentation serves, for example `/handbook`; empty for the root.',
    default: '',
    processes: ['api', 'embedded'],
    schema: pathPrefixSchema,
  },
} as const satisfies Record<string, Variable>;
