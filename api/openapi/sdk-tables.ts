import { ERROR_TABLE, statusesOf, type ErrorCode } from '../../domain/errors.ts';
import type { AnyRoute } from '../http/define-route.ts';

/** What the SDKs know of the service besides types: its error codes, and which changes take an Idempotency-Key. */

/** PascalCase with one final `Error`. */
export function errorTypeOf(code: string): string {
  const pascal = code
    .toLowerCase()
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
  return pascal.endsWith('Error') ? pascal : `${pascal}Error`;
}

export function errorCodes(): string {
  const codes = Object.keys(ERROR_TABLE).map((code) => ({
    code,
    statuses: statusesOf(code as ErrorCode),
    type: errorTypeOf(code),
  }));
  return `{\n  "codes": [\n${codes.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]\n}\n`;
}

export function typescriptErrors(): string {
  const classes = Object.entries(ERROR_TABLE).flatMap(([code, { message }]) => {
    const type = errorTypeOf(code);
    return [
      `/** \`${code}\`: ${message} */`,
      `export class ${type} extends ApiError {`,
      `  override readonly name = '${type}';`,
      '}',
      '',
    ];
  });
  return [
    '// Generated from the error table of the service by `npm run openapi`. Do not edit.',
    "import { ApiError, type ApiErrorFacts } from '../api-error.ts';",
    '',
    ...classes,
    'export const ERROR_CLASSES: Readonly<Record<string, new (facts: ApiErrorFacts) => ApiError>> = {',
    ...Object.keys(ERROR_TABLE).map((code) => `  ${code}: ${errorTypeOf(code)},`),
    '};',
    '',
  ].join('\n');
}

export function typescriptKeyedOperations(routes: readonly AnyRoute[]): string {
  const keyed = routes.filter((route) => route.idempotent === true).map(({ method, path }) => `${method} ${path}`);
  return [
    '// Generated from the routes of the service by `npm run openapi`. Do not edit.',
    '',
    '/** The operations that take an Idempotency-Key. */',
    'export const KEYED_OPERATIONS: ReadonlySet<string> = new Set([',
    ...keyed.map((operation) => `  '${operation}',`),
    ']);',
    '',
  ].join('\n');
}
