import type { DocsSite } from './docs-site.ts';
import { describeDocsApi } from './describe-docs-api.ts';
import { DESCRIPTION_PATH, NAVIGATION_PATH, PAGES_PATH } from './problems.ts';
import { GENERATOR, navigationOf, pagesIndex, pageWithMarkdown } from './queries.ts';
import { jsonInLines } from './send-body.ts';
import { StoredBody } from './stored-body.ts';
import { llmsFullTxt, llmsTxt, manifestOf, mcpDiscovery, sitemapXml } from './texts.ts';

export interface Resource {
  type: string;
  body: StoredBody;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Answers at fixed paths and the forms of pages, each built on first request. */
export class Resources {
  readonly #site: DocsSite;
  readonly #made = new Map<string, Resource>();
  readonly #fixed: ReadonlyMap<string, () => Resource>;

  constructor(site: DocsSite) {
    this.#site = site;
    const json = (value: () => unknown) => (): Resource => ({
      type: JSON_TYPE,
      body: new StoredBody(jsonInLines(value())),
    });
    const text =
      (value: () => string, type = TEXT_TYPE) =>
      (): Resource => ({ type, body: new StoredBody(value()) });
    this.#fixed = new Map([
      [PAGES_PATH, json(() => pagesIndex(site))],
      [NAVIGATION_PATH, json(() => navigationOf(site))],
      [DESCRIPTION_PATH, json(() => describeDocsApi(site))],
      ['/agent-readability.json', json(() => manifestOf(site, GENERATOR))],
      ['/.well-known/mcp.json', json(() => mcpDiscovery(site))],
      ['/llms.txt', text(() => llmsTxt(site))],
      ['/llms-full.txt', text(() => llmsFullTxt(site))],
      ...(site.site === null
        ? []
        : [['/sitemap.xml', text(() => sitemapXml(site), 'application/xml; charset=utf-8')] as const]),
    ]);
  }

  at(path: string): Resource | null {
    const make = this.#fixed.get(path);
    return make === undefined ? null : this.#once(path, make);
  }

  page(route: string): Resource | null {
    const page = this.#site.pageAt(route);
    if (page === undefined) return null;
    return this.#once(`json ${route}`, () => ({
      type: JSON_TYPE,
      body: new StoredBody(jsonInLines(pageWithMarkdown(this.#site, page))),
    }));
  }

  markdown(route: string): Resource | null {
    const page = this.#site.pageAt(route);
    if (page === undefined) return null;
    return this.#once(`markdown ${route}`, () => ({
      type: 'text/markdown; charset=utf-8',
      body: new StoredBody(this.#site.text(page.markdown)),
    }));
  }

  #once(name: string, make: () => Resource): Resource {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}
