import { ERROR_TABLE } from '../../domain/errors.ts';

/** docs/reference/errors.md: the error table as a page. */
export function errorReference(): string {
  const rows = Object.entries(ERROR_TABLE).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`,
  );
  return [
    '# Error codes',
    '',
    '<!-- Generated from domain/errors.ts by `npm run openapi`. -->',
    '',
    'Every error has the body `{ "success": false, "error": { "code", "message", "details"? }, "requestId" }`. Match on `error.code`.',
    'A `VALIDATION_ERROR` names what is wrong in `details.issues`, each with a `path` such as `body.adapter.config.url`.',
    '',
    '| Code | Status | What it says |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
