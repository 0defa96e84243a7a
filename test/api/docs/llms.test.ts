import { describe, expect, test } from 'vitest';
import { startDocsServer } from './docs-server.ts';

interface Page {
  route: string;
  title: string;
  markdownUrl: string;
  url: string;
}

const text = async (path: string): Promise<string> => (await fetch(`${docs.baseUrl}${path}`)).text();

const docs = await startDocsServer();
const { pages } = JSON.parse(await text('/api/docs/pages.json')) as { pages: Page[] };

/** The grammar of llmstxt.org: a title, a quotation, text without headings, then sections of links. Throws at what it does not have. */
function parse(llms: string): { title: string; summary: string; sections: { title: string; links: string[] }[] } {
  const [, title, summary, rest] = /^# (.+)\n\n> (.+)\n\n(?:(?!#).+\n\n)*([^]*)$/.exec(llms) ?? [];
  if (title === undefined || summary === undefined || rest === undefined) throw new Error('no title and summary');
  const sections = rest.split(/^## /m).slice(1);
  if (!rest.startsWith('## ')) throw new Error('something stands between the text and the sections');
  return {
    title,
    summary,
    sections: sections.map((section) => {
      const [heading = '', blank, ...lines] = section.trimEnd().split('\n');
      if (blank !== '') throw new Error(`no blank line below ${heading}`);
      const links = lines.map((line) => {
        const [, link] = /^- \[(?:[^[\]\\]|\\.)+\]\(([^()\s]+)\)(?:: .+)?$/.exec(line) ?? [];
        if (link === undefined) throw new Error(`not a link: ${line}`);
        return link;
      });
      return { title: heading, links };
    }),
  };
}

describe('llms.txt', () => {
  test('has the grammar of llmstxt.org, below 50,000 characters', async () => {
    const llms = await text('/llms.txt');
    expect(llms.length).toBeLessThan(50_000);
    const { sections } = parse(llms);
    expect(sections.at(-1)?.title).toBe('Agent resources');
    const { sidebar } = JSON.parse(await text('/api/docs/navigation.json')) as { sidebar: { label: string }[] };
    expect(sections.slice(0, -1).map(({ title }) => title)).toEqual(sidebar.map(({ label }) => label));
  });

  test('links to the Markdown of every page of docs/ once, and every link answers', async () => {
    const links = parse(await text('/llms.txt')).sections.flatMap((section) => section.links);
    const written = pages.filter(({ route }) => !route.startsWith('/reference/operations/'));
    const missing = written.filter(({ markdownUrl }) => !links.includes(markdownUrl)).map(({ route }) => route);
    // The pages that are made of what the code declares are in llms-full.txt.
    expect(missing.filter((route) => !/^\/reference\/\w+\//.test(route))).toEqual([]);
    expect(links).toContain('/reference/operations.md');
    expect(new Set(links).size).toBe(links.length);
    for (const link of links.filter((link) => !link.startsWith('/api/v2/'))) {
      expect((await fetch(`${docs.baseUrl}${link}`)).status, link).toBe(200);
    }
  });
});

test('llms-full.txt holds every page, by route, with its source', async () => {
  const full = await text('/llms-full.txt');
  const sources = [...full.matchAll(/^# (.+)\nSource: (\S+)$/gm)].map(([, title, url]) => ({ title, url }));
  const expected = pages.toSorted((one, other) => (one.route < other.route ? -1 : 1));
  expect(sources).toEqual(expected.map(({ title, url }) => ({ title, url })));
  expect(full.split('\n\n---\n\n').length).toBeGreaterThan(pages.length);
});
