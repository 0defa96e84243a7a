import { ERROR_TABLE, type ErrorCode, statusesOf } from '../../domain/errors.ts';
import { escapeMarkup } from '../../domain/markup-characters.ts';
import { REFUSAL_CODES, refusalEntry } from '../../domain/refusals.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { ERRORS_PATH } from '../http/error-replies.ts';

/** Markup alone, under the policy of every response: no script, no style, nothing from another host. */
const PAGE_MAX_AGE_SECONDS = 3_600;

let page: string | undefined;

/** GET /docs/errors: the error and refusal codes, each with an anchor of its own. Every error links to its code there. */
export const serveErrorCatalogue: HttpMiddleware = async (ctx, next) => {
  if (ctx.path !== ERRORS_PATH || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) {
    await next();
    return;
  }
  page ??= cataloguePage();
  ctx.set('Cache-Control', `public, max-age=${PAGE_MAX_AGE_SECONDS}`);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
};

function cataloguePage(): string {
  const errors = Object.entries(ERROR_TABLE).map(([code, { message }]) =>
    entry(code, [`Status ${statusesOf(code as ErrorCode).join(' or ')}.`, message]),
  );
  const refusals = REFUSAL_CODES.map((code) => {
    const { statuses, meaning, nextStep } = refusalEntry(code);
    const step = nextStep({ invocationId: '{id}', effectId: '{effectId}', approvalId: '{approvalId}', details: {} });
    return entry(code, [`An invocation that is ${statuses.join(' or ')}.`, meaning, step]);
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Error and refusal codes</title>
  </head>
  <body>
    <h1>Error and refusal codes</h1>
    <p>Every error has the body <code>{ "success": false, "error": { "code", "message", "details"? }, "requestId" }</code>, and a
      <code>Link</code> header to its code on this page. Match on <code>error.code</code>.</p>
    <h2>Error codes</h2>
    ${errors.join('\n    ')}
    <h2>Refusal codes</h2>
    <p>Why an invocation was not carried out, failed, or has an unknown outcome: its <code>refusal.code</code>.</p>
    ${refusals.join('\n    ')}
  </body>
</html>
`;
}

function entry(code: string, sentences: readonly string[]): string {
  return `<h3 id="${code}"><a href="#${code}">${code}</a></h3>\n    <p>${sentences.map(escapeMarkup).join(' ')}</p>`;
}
