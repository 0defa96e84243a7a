import type { SourcePage } from '../../domain/docs/content.ts';
import { OPERATIONS_ROUTE, operationRoute } from '../../domain/docs/code-routes.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { tagOf, tagsOf, titleOfTag } from '../openapi/areas.ts';

const PREFIX = '/api/v2';

/** All operations by area: the target of the sidebar's group. */
export function operationsIndex(routes: readonly AnyRoute[]): SourcePage {
  const { tags } = tagsOf(new Set(routes.map(({ id }) => tagOf(id))));
  const sections = tags.flatMap(({ name, description }) => {
    if (typeof name !== 'string') return [];
    const items = routes.filter(({ id }) => tagOf(id) === name).map(itemOf);
    return [`## ${titleOfTag(name)}`, ...(typeof description === 'string' ? [description] : []), items.join('\n')];
  });
  const description = `Find here each of the ${routes.length} operations of the API, by area, with its method, path and page.`;
  return {
    route: OPERATIONS_ROUTE,
    source: null,
    type: 'reference',
    title: 'Operations',
    description,
    facets: { area: 'reference' },
    markdown: `${[
      '# Operations',
      description,
      `The paths begin with \`${PREFIX}\`. The same as OpenAPI: [openapi.json](/api/v2/openapi.json).`,
      ...sections,
    ].join('\n\n')}\n`,
  };
}

function itemOf({ id, method, path, summary }: AnyRoute): string {
  const shown = path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path;
  return `- [${summary}](${operationRoute(id)}): \`${method} ${shown}\``;
}
