import type { AnyRoute } from '../../../api/http/define-route.ts';
import { exportsOf, ROUTE_AREAS } from '../suites/fixtures.ts';
import type { ListDeclaration, ListDeclarations } from './list-declarations.ts';
import { isBounded, unboundedMembers } from './listed-members.ts';

/** A list, and what its area declares of its members. */
export interface DeclaredList {
  route: AnyRoute;
  declaration: ListDeclaration;
  /** The file that declares it, as messages to the developer name it. */
  file: string;
}

interface AreaLists {
  file: string;
  routes: readonly AnyRoute[];
  lists: ListDeclarations;
}

export async function collectLists(): Promise<AreaLists[]> {
  return Promise.all(
    Object.entries(ROUTE_AREAS).map(async ([area, { routes }]) => {
      const file = `test/api/${area}/lists.ts`;
      const { lists = {} } = ((await exportsOf(file)) ?? {}) as { lists?: ListDeclarations };
      return { file, routes: routes.filter((route) => route.paginated === true), lists };
    }),
  );
}

export function declaredLists(areas: readonly AreaLists[]): DeclaredList[] {
  return areas.flatMap(({ file, routes, lists }) =>
    routes.map((route) => ({ route, declaration: lists[route.id] ?? {}, file })),
  );
}

/** Members of the list that are neither cut nor bounded. Each message names the file to change. */
export function memberFindings({ route, declaration, file }: DeclaredList): string[] {
  const cut = declaration.cut?.members ?? [];
  const isCut = (path: string): boolean =>
    cut.some(({ member }) => `${path}.`.startsWith(`${member.replace('.0.', '[].')}.`) || path === `${member}[]`);
  return unboundedMembers(route).flatMap((member) =>
    isCut(member.path) || isBounded(declaration.whole ?? {}, member)
      ? []
      : [
          `${route.id}: ${member.path} (${member.kind}) is not bounded. Cut it and name it in \`cut\` of '${route.id}' in the export \`lists\` of ${file}, or say in \`whole\` what bounds it.`,
        ],
  );
}

/** Entries of an area for what is no list of the area. */
export function staleFindings({ file, routes, lists }: AreaLists): string[] {
  return Object.keys(lists)
    .filter((id) => !routes.some((route) => route.id === id))
    .map((id) => `${file} has an entry '${id}', and its area has no such list: remove it`);
}
