import type { Json } from '../../domain/json.ts';
import { ROUTES } from '../routes.ts';
import { auditReference } from './audit-reference.ts';
import { buildOpenApi } from './build.ts';
import { errorReference } from './error-reference.ts';
import { eventReference } from './event-reference.ts';
import { pythonFiles } from './python/files.ts';
import { refusalReference } from './refusal-reference.ts';
import { errorCodes, typescriptErrors, typescriptKeyedOperations } from './sdk-tables.ts';
import { typescriptTypes } from './typescript-types.ts';
import { warningReference } from './warning-reference.ts';

/** All generated pages and SDK files by path. `npm run openapi` writes them; a test compares. */
export function generatedDocuments(): Record<string, string> {
  const document = buildOpenApi(ROUTES);
  return {
    'docs/openapi.json': `${textOf(document)}\n`,
    'docs/reference/audit-actions.md': auditReference(),
    'docs/reference/errors.md': errorReference(),
    'docs/reference/events.md': eventReference(),
    'docs/reference/refusals.md': refusalReference(),
    'docs/reference/warnings.md': warningReference(),
    'sdk/vectors/error-codes.json': errorCodes(),
    'sdk/typescript/src/generated/api.ts': typescriptTypes(document),
    'sdk/typescript/src/generated/errors.ts': typescriptErrors(),
    'sdk/typescript/src/generated/keyed-operations.ts': typescriptKeyedOperations(ROUTES),
    ...pythonFiles(document),
  };
}

const LINE_LENGTH_MAX = 160;
const INDENT = ' ';

/** One line where it fits, so that a route's change touches only its lines. Indented by one space because of the depth. */
export function textOf(value: Json, indent = ''): string {
  const line = JSON.stringify(value);
  if (value === null || typeof value !== 'object' || line.length + indent.length <= LINE_LENGTH_MAX) return line;
  const deeper = `${indent}${INDENT}`;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => textOf(item, deeper))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${textOf(member, deeper)}`);
  return `${open}\n${members.map((member) => `${deeper}${member}`).join(',\n')}\n${indent}${close}`;
}
