import { posix } from 'node:path';
import { BASE_MARK, pathOfRoute, SITE_MARK } from '../../domain/docs/content.ts';
import { routeOf } from './read-sources.ts';

const SERVED_FILES: Readonly<Record<string, string>> = { 'docs/openapi.json': '/api/v2/openapi.json' };

/** Code comes first, so that no link in it matches. Then images and links; the text of a link may hold code. */
const CODE_OR_LINK =
  /^ {0,3}(`{3,}|~{3,})[^]*?^ {0,3}\1[`~]*[ \t]*$|(!?)\[((?:[^[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^()\s]*)\)|(`+)(?!`)[^]*?[^`]\5(?!`)/gm;

export type LinkTarget = 'markdown' | 'html';

/**
 * Resolves the links of a page, so that they work wherever the page is read. A link to a file that the service does not serve becomes its
 * text with the file's name.
 */
export function resolveLinks(
  markdown: string,
  source: string | null,
  routes: ReadonlySet<string>,
  target: LinkTarget,
): string {
  return markdown.replaceAll(
    CODE_OR_LINK,
    (whole: string, _fence: string | undefined, image = '', text = '', href?: string) => {
      if (href === undefined || /^([a-z][a-z0-9+.-]*:|#)/i.test(href)) return whole;
      const resolved = resolve(href, source, routes, target);
      if (resolved.startsWith(BASE_MARK) || resolved.startsWith(SITE_MARK)) return `${image}[${text}](${resolved})`;
      return text.replaceAll('`', '').endsWith(resolved) ? text : `${text} (\`${resolved}\`)`;
    },
  );
}

function resolve(href: string, source: string | null, routes: ReadonlySet<string>, target: LinkTarget): string {
  const [, link = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  if (link.startsWith('/')) {
    const route = link === '/' ? link : link.replace(/\/$/, '');
    return routes.has(route) ? pageAddress(route, anchor, target) : `${SITE_MARK}${href}`;
  }
  const file = posix.join(source === null ? 'docs' : posix.dirname(source), link);
  const served = SERVED_FILES[file];
  if (served !== undefined) return `${SITE_MARK}${served}`;
  if (file.startsWith('docs/images/')) return `${BASE_MARK}/${file}`;
  const route = routeOf(file.replace(/\/$/, ''));
  return file.startsWith('docs/') && routes.has(route) ? pageAddress(route, anchor, target) : file;
}

function pageAddress(route: string, anchor: string, target: LinkTarget): string {
  const page = target === 'markdown' ? `/${pathOfRoute(route)}.md` : `/docs${route}`;
  return `${BASE_MARK}${page}${anchor}`;
}
