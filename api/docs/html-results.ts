import { markup, type Markup } from '../html/markup.ts';
import type { DocsSite } from './docs-site.ts';
import { documentOf } from './html-document.ts';
import type { SearchHit } from './queries.ts';

export function resultsDocument(site: DocsSite, query: string, found: readonly SearchHit[]): string {
  const title = query === '' ? 'Search' : `Search: ${query}`;
  const main = markup`<main id="main"><article>
<h1>${title}</h1>
${answerOf(site, query, found)}
</article></main>`;
  return documentOf(site, { title, description: null, route: null, query, main });
}

function answerOf({ base }: DocsSite, query: string, found: readonly SearchHit[]): Markup {
  if (query === '')
    return markup`<p>Write what you look for into the field above: a question, a word, or a code of an error.</p>`;
  if (found.length === 0)
    return markup`<p role="status">No page has these words. Try fewer of them, or look at all pages beside.</p>`;
  const items = found.map(
    ({
      route,
      title,
      excerpt,
      contentType,
    }) => markup`<li><p><a href="${`${base}/docs${route}`}">${title}</a> <span class="quiet">${contentType}</span></p>
<p>${excerpt}</p></li>
`,
  );
  return markup`<p role="status">${found.length} ${found.length === 1 ? 'page' : 'pages'}, the best first.</p>
<ol class="results">
${items}</ol>`;
}

export function notFoundDocument(site: DocsSite, path: string): string {
  const { base } = site;
  const main = markup`<main id="main"><article>
<h1>There is no such page</h1>
<p>The documentation has no page at <code>${path}</code>. Search for it above, look at all pages beside, or begin at <a href="${`${base}/docs/`}">the first page</a>.</p>
<p>For programs, all pages are listed in <a href="${`${base}/llms.txt`}">llms.txt</a>.</p>
</article></main>`;
  return documentOf(site, { title: 'There is no such page', description: null, route: null, main });
}
