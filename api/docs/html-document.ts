import { CONSOLE_START_PATH } from '../../domain/console-links.ts';
import { type BuiltPage, pathOfRoute } from '../../domain/docs/content.ts';
import { QUERY_CHARACTERS_MAX } from '../../domain/docs/search.ts';
import { PRODUCT } from '../../domain/product.ts';
import { escaped, markup, Markup, Room } from '../html/markup.ts';
import { REFERENCE_PATH } from '../reference/serve-reference.ts';
import { linkElements } from './discovery-links.ts';
import type { DocsSite } from './docs-site.ts';
import { contentsOf, groupsAround, pagesBeside, sidebarOf } from './html-navigation.ts';
import { DOCS_SHEET_PATH } from './html-style.ts';

interface Document {
  title: string;
  description: string | null;
  /** Null for pages such as search results, which search engines leave out. */
  route: string | null;
  query?: string;
  main: Markup;
}

/** A whole page for people. Its addresses are paths, so that it works at any host. */
export function pageDocument(site: DocsSite, page: BuiltPage): string {
  const { title, description, route, headings } = page;
  const { base } = site;
  const place = site.pages.indexOf(page);
  // The first page is one screen, and its picture needs the room.
  const contents = route !== '/' && contentsOf(headings);
  const groups = groupsAround(site.navigation, route);
  const main = markup`<main id="main"${contents !== false && new Markup([' class="with-contents"'])}>
${contents}
<div><article>
${groups.length > 0 && markup`<p class="kicker">${groups.join(' / ')}</p>`}
${new Markup([site.path(page.html)])}</article>
<p class="about">${page.lastModified !== null && `Changed on ${page.lastModified.slice(0, 10)}. `}This page <a href="${`${base}/${pathOfRoute(route)}.md`}">as Markdown</a>.</p>
${pagesBeside(site.pages[place - 1], site.pages[place + 1], base)}
</div>
</main>`;
  return documentOf(site, { title: route === '/' ? 'Documentation' : title, description, route, main });
}

export function documentOf(site: DocsSite, { title, description, route, query = '', main }: Document): string {
  const { base } = site;
  const head = [
    ...(description === null ? [] : [`<meta name="description" content="${escaped(description)}">`]),
    ...(route === null
      ? ['<meta name="robots" content="noindex">']
      : [`<link rel="canonical" href="${escaped(encodeURI(site.urlOf(route)))}">`]),
    linkElements(route ?? '/', base),
  ].join('\n');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${PRODUCT.name}</title>
${new Markup([head])}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${`${base}${DOCS_SHEET_PATH}`}">
</head>
<body>
<header>
<a class="skip" href="#main">Skip to the content</a>
<a href="${`${base}/docs/`}">${PRODUCT.name}</a>
<nav aria-label="Service"><a href="${CONSOLE_START_PATH}">Console</a> <a href="${REFERENCE_PATH}">API reference</a></nav>
<form class="search" role="search" method="get" action="${`${base}/docs/search`}">
<label class="unseen-label" for="q">Search the documentation</label>
<input type="search" id="q" name="q" maxlength="${QUERY_CHARACTERS_MAX}" placeholder="Search" value="${query}"><button>Search</button>
</form>
</header>
<div class="page">
${sidebarOf(site.navigation, route, base)}
${main}
</div>
</body>
</html>
`.render(new Room(Infinity));
}
