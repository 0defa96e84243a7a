import { type NavigationNode, type PageNode, pathOfRoute } from './content.ts';

/** What `docs/navigation.ts` holds. A string is the route of a page, which is labelled by its title. */
export type NavigationEntry = string | LabelledPage | NavigationGroup | PagesBelow;

export interface LabelledPage {
  route: string;
  label: string;
}

export interface NavigationGroup {
  label: string;
  /** The group's own page, which is listed first in it. */
  route?: string;
  collapsed?: boolean;
  items: readonly NavigationEntry[];
}

/** Every page below a route that is named nowhere else, by title: for generated pages. */
export interface PagesBelow {
  below: string;
  /** The facet whose values make groups of their own. */
  groupedBy?: string;
}

interface Listed {
  route: string;
  title: string;
  facets: Record<string, string>;
}

/** Where pages end up that the navigation does not name. A test holds that there are none. */
export const OTHER_GROUP = 'Other';

/** The sidebar. Throws where an entry names a page that is not there, or one twice. */
export function arrangeNavigation(entries: readonly NavigationEntry[], pages: readonly Listed[]): NavigationNode[] {
  const byRoute = new Map(pages.map((page) => [page.route, page]));
  const named = new Set<string>();
  claimNamed(entries, byRoute, named);
  const nodeOf = (page: Listed, label = page.title): PageNode => ({
    kind: 'page',
    label,
    pageId: pathOfRoute(page.route),
    route: page.route,
  });
  const pageAt = (route: string): Listed => byRoute.get(route) as Listed;
  const rest = (isWanted: (page: Listed) => boolean): Listed[] => {
    const found = pages.filter((page) => !named.has(page.route) && isWanted(page));
    for (const { route } of found) named.add(route);
    return found.toSorted((one, other) => (one.title < other.title ? -1 : 1));
  };
  const nodesOf = (entry: NavigationEntry): NavigationNode[] => {
    if (typeof entry === 'string') return [nodeOf(pageAt(entry))];
    if ('below' in entry) {
      const found = rest(({ route }) => route.startsWith(`${entry.below}/`));
      return entry.groupedBy === undefined
        ? found.map((page) => nodeOf(page))
        : groupsOf(found, entry.groupedBy, nodeOf);
    }
    if (!('items' in entry)) return [nodeOf(pageAt(entry.route), entry.label)];
    const { label, route, collapsed, items } = entry;
    const own = route === undefined ? [] : [nodeOf(pageAt(route))];
    const children = [...own, ...items.flatMap(nodesOf)];
    const optional = { ...(collapsed === undefined ? {} : { collapsed }), ...(route === undefined ? {} : { route }) };
    return children.length === 0 ? [] : [{ kind: 'group', label, children, ...optional }];
  };
  const arranged = entries.flatMap(nodesOf);
  const left = rest(() => true);
  if (left.length === 0) return arranged;
  return [...arranged, { kind: 'group', label: OTHER_GROUP, children: left.map((page) => nodeOf(page)) }];
}

function claimNamed(entries: readonly NavigationEntry[], pages: ReadonlyMap<string, Listed>, named: Set<string>): void {
  for (const entry of entries) {
    const route = typeof entry === 'string' ? entry : 'route' in entry ? entry.route : undefined;
    if (route !== undefined) {
      if (!pages.has(route)) throw new Error(`docs/navigation.ts names ${route}, which is no page`);
      if (named.has(route)) throw new Error(`docs/navigation.ts names ${route} twice`);
      named.add(route);
    }
    if (typeof entry !== 'string' && 'items' in entry) claimNamed(entry.items, pages, named);
  }
}

function groupsOf(pages: readonly Listed[], facet: string, nodeOf: (page: Listed) => PageNode): NavigationNode[] {
  const values = [...new Set(pages.map(({ facets }) => facets[facet] ?? OTHER_GROUP))].toSorted();
  return values.map((label) => ({
    kind: 'group',
    label,
    collapsed: true,
    children: pages.filter(({ facets }) => (facets[facet] ?? OTHER_GROUP) === label).map((page) => nodeOf(page)),
  }));
}

/** The routes of the sidebar, from top to bottom. */
export function routesOf(nodes: readonly NavigationNode[]): string[] {
  return nodes.flatMap((node) => (node.kind === 'page' ? [node.route] : routesOf(node.children)));
}
