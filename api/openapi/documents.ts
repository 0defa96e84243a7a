import type { Json } from '../../domain/json.ts';
import { ROUTES } from '../routes.ts';
import { buildOpenApi } from './build.ts';
import { errorReference } from './error-reference.ts';

/** Every generated page, by its path below the project's root. `npm run openapi` writes them; a test compares. */
export function generatedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': `${textOf(buildOpenApi(ROUTES))}\n`,
    'docs/reference/errors.md': errorReference(),
  };
}

const LINE_LENGTH_MAX = 120;

/** JSON as Prettier formats it: what fits on one line is on one, so that a change of a route changes only its lines. */
function textOf(value: Json, indent = ''): string {
  const line = JSON.stringify(value);
  if (value === null || typeof value !== 'object' || line.length + indent.length <= LINE_LENGTH_MAX) return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => textOf(item, deeper))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${textOf(member, deeper)}`);
  return `${open}\n${members.map((member) => `${deeper}${member}`).join(',\n')}\n${indent}${close}`;
}
