import { ERROR_TABLE, type ErrorCode, statusesOf } from '../../domain/errors.ts';

/** docs/reference/errors.md: the error table as a page. */
export function errorReference(): string {
  const rows = Object.entries(ERROR_TABLE).map(
    ([code, { message }]) => `| \`${code}\` | ${statusesOf(code as ErrorCode).join(' or ')} | ${message} |`,
  );
  return [
    '# Error codes',
    '',
    '<!-- Generated from domain/errors.ts by `npm run openapi`. -->',
    '',
    'Every error has the body `{ "success": false, "error": { "code", "message", "details"? }, "requestId" }`. Match on `error.code`.',
    'Its `Link` header (`rel="help"`) leads to the page of its code at `/docs/reference/errors/{code}`, which a running API serves itself. The body has the members',
    "that the specification states, and no other. A 404 of a named thing names the environment that was looked in, which is the key's own, and near names that it may list.",
    'A `METHOD_NOT_ALLOWED` lists what the path answers in `details.allowed`. Broken JSON is located by line and column.',
    'A `VALIDATION_ERROR` names what is wrong in `details.issues`, each with a `path` such as `body.adapter.config.url`.',
    '',
    '| Code | Status | What it says |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
