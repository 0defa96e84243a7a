import type { BuiltPage, GroupNode, Heading, NavigationNode } from '../../domain/docs/content.ts';
import { routesOf } from '../../domain/docs/navigation.ts';
import { markup, type Markup } from '../html/markup.ts';

/** Where a page stands: what the sidebar opens, what stands above the title, and which pages are beside it. */

/** Below these levels the sidebar shows only the page's own groups: there are hundreds of generated pages. */
const LEVELS_SHOWN = 1;
/** Shorter pages need no table of contents. */
const HEADINGS_MIN = 2;

export function sidebarOf(nodes: readonly NavigationNode[], route: string | null, base: string): Markup {
  return markup`<nav class="side" aria-label="Documentation"><details><summary>All pages</summary>
<ul>
${nodes.map((node) => nodeOf(node, { route, base, level: 0 }))}</ul></details></nav>`;
}

interface Place {
  /** Null for a page outside the navigation, such as search results. */
  route: string | null;
  base: string;
  level: number;
}

function nodeOf(node: NavigationNode, place: Place): Markup {
  const { route, base, level } = place;
  if (node.kind === 'page') return markup`<li>${linkTo(node.route, node.label, place)}</li>\n`;
  const isAround = route !== null && holds(node, route);
  if (level >= LEVELS_SHOWN && !isAround) {
    const first = node.route ?? routesOf(node.children)[0];
    return first === undefined ? markup`` : markup`<li>${linkTo(first, node.label, { ...place, route: null })}</li>\n`;
  }
  const children = node.children.map((child) => nodeOf(child, { route, base, level: level + 1 }));
  const list = markup`<summary>${node.label}</summary>\n<ul>\n${children}</ul>`;
  return isAround ? markup`<li><details open>${list}</details></li>\n` : markup`<li><details>${list}</details></li>\n`;
}

function linkTo(to: string, label: string, { route, base }: Place): Markup {
  const href = `${base}/docs${to}`;
  return to === route
    ? markup`<a href="${href}" aria-current="page">${label}</a>`
    : markup`<a href="${href}">${label}</a>`;
}

function holds(group: GroupNode, route: string): boolean {
  return routesOf([group]).includes(route);
}

/** From the outside in. */
export function groupsAround(nodes: readonly NavigationNode[], route: string): string[] {
  const group = nodes.find((node) => node.kind === 'group' && holds(node, route));
  return group?.kind === 'group' ? [group.label, ...groupsAround(group.children, route)] : [];
}

export function contentsOf(headings: readonly Heading[]): Markup | false {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.filter(({ level }) => level === 2).length < HEADINGS_MIN) return false;
  const items = shown.map(({ level, text, anchor }) => {
    const link = markup`<a href="#${anchor}">${text}</a>`;
    return level === 3 ? markup`<li class="deeper">${link}</li>\n` : markup`<li>${link}</li>\n`;
  });
  return markup`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>
<ul>
${items}</ul></details></nav>`;
}

export function pagesBeside(before: BuiltPage | undefined, after: BuiltPage | undefined, base: string): Markup {
  const link = (page: BuiltPage): Markup => linkTo(page.route, page.title, { route: null, base, level: 0 });
  return markup`<nav class="around" aria-label="Previous and next page">
<span>${before !== undefined && markup`Previous: ${link(before)}`}</span>
<span>${after !== undefined && markup`Next: ${link(after)}`}</span>
</nav>`;
}
