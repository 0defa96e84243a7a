import { beforeAll, describe, expect, it } from 'vitest';
import { generatedPages } from '../../../api/docs/generated-pages.ts';
import { NAVIGATION } from '../../../docs/navigation.ts';
import { DocsSearch, searchIndexOf } from '../../../domain/docs/search.ts';
import { buildIndex } from '../../../embedded/docs/build-index.ts';
import { readSources } from '../../../embedded/docs/read-sources.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { QUESTIONS } from './questions.ts';

/** Over every page as it is served: the guides, and the operations and codes that would crowd them out. */
let search: DocsSearch;
let routes: ReadonlySet<string>;

beforeAll(async () => {
  const { pages } = await buildIndex([...readSources(projectRoot()), ...generatedPages()], NAVIGATION, new Map());
  routes = new Set(pages.map(({ route }) => route));
  search = await DocsSearch.load(searchIndexOf(pages));
}, PATIENCE_MS);

describe('the search finds the right page first', () => {
  it.each(QUESTIONS)('%s', (question, route) => {
    expect(routes.has(route), `${route} is a page`).toBe(true);
    expect(search.find(question)[0]).toBe(route);
  });

  it('for forty questions at least, none twice', () => {
    const asked = new Set(QUESTIONS.map(([question]) => question));
    expect(asked.size).toBe(QUESTIONS.length);
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(40);
  });
});
