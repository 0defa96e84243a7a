import { ROUTES } from '../routes.ts';
import { buildOpenApi } from './build.ts';
import { errorReference } from './error-reference.ts';

/** Every generated page, by its path below the project's root. `npm run openapi` writes them; a test compares. */
export function generatedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': `${JSON.stringify(buildOpenApi(ROUTES), null, 2)}\n`,
    'docs/reference/errors.md': errorReference(),
  };
}
