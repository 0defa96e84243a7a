import type { BuiltPage } from '../../domain/docs/content.ts';
import { escapeMarkup } from '../../domain/markup-characters.ts';
import type { HttpContext } from '../http/context.ts';
import type { DocsSite } from './docs-site.ts';
import { sendBody } from './send-body.ts';
import { StoredBody } from './stored-body.ts';

/** Answers GET and HEAD of a page, `/docs` and `/docs/{route}`, to people. Markdown is negotiated before (`serve-docs.ts`). */
export type ServeHtml = (ctx: HttpContext, page: BuiltPage) => Promise<void>;

export function serveHtml(site: DocsSite): ServeHtml {
  const bodies = new Map<string, StoredBody>();
  return async (ctx, page) => {
    const body = bodies.get(page.route) ?? new StoredBody(htmlOf(site, page));
    bodies.set(page.route, body);
    await sendBody(ctx, body, { type: 'text/html; charset=utf-8', vary: 'Accept' });
  };
}

function htmlOf(site: DocsSite, page: BuiltPage): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeMarkup(page.title)}</title>
  </head>
  <body>
    <main>${site.text(page.html)}</main>
  </body>
</html>
`;
}
