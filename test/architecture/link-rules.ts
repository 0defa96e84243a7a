import { posix } from 'node:path';
import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

/**
 * What pages and comments refer to is in the repository: links and their anchors resolve, commands exist, and a citation such as
 * docs/previews.md, "Blocks" names a page and a heading that are there. A reader has no other files.
 */
export function brokenReferences(files: readonly SourceFile[], there: (path: string) => boolean): Violation[] {
  const pages = new Map(files.filter(isPage).map((page) => [page.path, anchorsOf(page.text)]));
  const repository: Repository = { pages, there, scripts: scriptsOf(files) };
  return files.flatMap((file) => [
    ...(isPage(file) ? [...brokenLinks(file, repository), ...unknownScripts(file, repository)] : []),
    ...brokenCitations(file, repository),
  ]);
}

interface Repository {
  /** The headings of each page: by their anchor, their text. */
  pages: ReadonlyMap<string, ReadonlyMap<string, string>>;
  there(path: string): boolean;
  scripts: ReadonlySet<string>;
}

const isPage = ({ path }: SourceFile): boolean => path.endsWith('.md');

function brokenLinks(file: SourceFile, { pages, there }: Repository): Violation[] {
  return [...file.text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap((match) => {
    const [, link = '', anchor] = match;
    const target = link === '' ? file.path : posix.join(posix.dirname(file.path), link);
    const at = (message: string): Violation => ({ path: file.path, line: lineAt(file.text, match.index), message });
    if (!there(target)) return [at(`links to ${target}, which is not there`)];
    const headings = pages.get(target);
    if (anchor === undefined || headings === undefined || headings.has(anchor)) return [];
    return [at(`links to ${target}#${anchor}, and that page has no such heading`)];
  });
}

function unknownScripts(file: SourceFile, { scripts }: Repository): Violation[] {
  return [...file.text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)].flatMap((match) => {
    const script = match[1] ?? '';
    if (scripts.has(script)) return [];
    const message = `names "npm run ${script}", which package.json does not have`;
    return [{ path: file.path, line: lineAt(file.text, match.index), message }];
  });
}

/** A page by its path, and the heading that follows it in quotes. What begins with a slash is an address of the documentation. A comment may break the line anywhere between words. */
const CITATION = /(?<![\w/.:*${}-])((?:\.{1,2}\/)*[\w-][\w.-]*(?:\/[\w.-]+)*\.md)\b(?:,?[\s*/-]+"([^"]+)")?/g;
const ADR = /\bADR (\d{4})\b/g;
/** It cites pages that are not there on purpose. */
const PLANTS_CITATIONS = 'test/architecture/links.test.ts';

function brokenCitations(file: SourceFile, { pages, there }: Repository): Violation[] {
  if (file.path === PLANTS_CITATIONS) return [];
  const at = (index: number, message: string): Violation => ({
    path: file.path,
    line: lineAt(file.text, index),
    message,
  });
  const pagesCited = [...file.text.matchAll(CITATION)].flatMap((match) => {
    const [, cited = '', heading] = match;
    const page = [
      cited,
      posix.join(posix.dirname(file.path), cited),
      posix.join('docs', cited),
      posix.join('docs/reference', cited),
    ].find(there);
    if (page === undefined) {
      return [
        at(match.index, `cites ${cited}, which is not in the repository: state the rule in docs/, and cite that`),
      ];
    }
    const headings = pages.get(page);
    const wanted = heading?.replaceAll(/[\s*]+(?:\/\/ )?/g, ' ');
    if (wanted === undefined || headings === undefined || [...headings.values()].includes(wanted)) return [];
    return [at(match.index, `cites ${page}, "${wanted}", and that page has no such heading`)];
  });
  const adrs = [...pages.keys()].filter((path) => path.startsWith('docs/adr/')).map((path) => path.slice(9, 13));
  const adrsCited = [...file.text.matchAll(ADR)].flatMap((match) =>
    adrs.includes(match[1] ?? '') ? [] : [at(match.index, `cites ${match[0]}, which is not in docs/adr`)],
  );
  return [...pagesCited, ...adrsCited];
}

/** The headings of a page by the anchors that GitHub gives them. */
function anchorsOf(text: string): Map<string, string> {
  const anchors = new Map<string, string>();
  const withoutCode = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of withoutCode.matchAll(/^#{1,6} (.+)$/gm)) {
    const shown = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '')
      .trim();
    const slug = shown
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.set(anchor, shown);
  }
  return anchors;
}

function scriptsOf(files: readonly SourceFile[]): Set<string> {
  const text = files.find(({ path }) => path === 'package.json')?.text ?? '{"scripts":{}}';
  return new Set(Object.keys((JSON.parse(text) as { scripts: Record<string, string> }).scripts));
}
