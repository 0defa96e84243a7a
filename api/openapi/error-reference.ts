import { ERROR_TABLE, type ErrorCode, statusesOf } from '../../domain/errors.ts';

export function errorReference(): string {
  const rows = Object.entries(ERROR_TABLE).map(
    ([code, { message }]) => `| \`${code}\` | ${statusesOf(code as ErrorCode).join(' or ')} | ${message} |`,
  );
  return [
    '# Error codes',
    '',
    'Look up here what an error code of the API means and with which HTTP status it comes. Match on `error.code`.',
    '',
    'Every error has the body `{ "success": false, "error": { "code", "message", "details"? }, "requestId" }`, with these',
    'members and no other. Its `Link` header (`rel="help"`) leads to the page of its code, `/docs/reference/errors/{code}`,',
    'which a running API serves itself.',
    '',
    "- A 404 names the environment that was searched, which is the key's own, and similar names that the key may list.",
    '- A `METHOD_NOT_ALLOWED` lists the methods of the path in `details.allowed`.',
    '- For broken JSON the message says the line and the column.',
    '- A `VALIDATION_ERROR` lists what is wrong in `details.issues`, each with a `path` such as `body.adapter.config.url`.',
    '',
    '| Code | Status | What it says |',
    '|---|---|---|',
    ...rows,
    '',
    '<!-- Generated from domain/errors.ts by `npm run openapi`. -->',
    '',
  ].join('\n');
}
