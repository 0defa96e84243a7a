import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

/** The README's prose, beside its code, table and picture: what fits on one screen. */
const README_MAX_WORDS = 560;
/** What readers of agents take of one page (agent-docs-spec). */
const PAGE_MAX_CHARACTERS = 50_000;
const LINE_MAX_CHARACTERS = 120;
/** The first paragraph is the page's description in lists, in llms.txt and in search. */
const OPENING_MAX_CHARACTERS = 300;

const isPage = ({ path }: SourceFile): boolean => /^docs\/.*\.md$/.test(path);

/** What is wrong with the pages as text: too long, lines that a diff cannot show, a beginning that does not say what the page is for. */
export function unreadablePages(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => [
    ...(isPage(file) || file.path === 'README.md' ? longLines(file) : []),
    ...(isPage(file) ? [...tooLong(file), ...opening(file)] : []),
    ...(file.path === 'README.md' ? tooManyWords(file) : []),
  ]);
}

/** A table's row cannot be broken, nor can a line that is one word: an address. */
function longLines({ path, text }: SourceFile): Violation[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line.trim();
    if (line.length <= LINE_MAX_CHARACTERS || words.startsWith('|') || !words.includes(' ')) return [];
    const message = `has ${line.length} characters in a line: break it at ${LINE_MAX_CHARACTERS}`;
    return [{ path, line: index + 1, message }];
  });
}

function tooLong({ path, text }: SourceFile): Violation[] {
  if (text.length < PAGE_MAX_CHARACTERS) return [];
  return [{ path, line: 1, message: `has ${text.length} characters: make two pages of it` }];
}

function opening({ path, text }: SourceFile): Violation[] {
  const [title = '', first = ''] = text.split(/\n{2,}/);
  const at = (message: string): Violation => ({ path, line: 3, message });
  if (!/^# \S.*$/.test(title)) return [{ path, line: 1, message: 'does not begin with its title' }];
  const paragraph = first.replaceAll('\n', ' ');
  if (!/^[A-Z]/.test(paragraph)) return [at('begin with a sentence: what the reader can do after the page')];
  if (paragraph.length <= OPENING_MAX_CHARACTERS) return [];
  return [
    at(`its first paragraph has ${paragraph.length} characters: at most ${OPENING_MAX_CHARACTERS} describe a page`),
  ];
}

function tooManyWords({ path, text }: SourceFile): Violation[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/^(?:\||!\[).*$/gm, '');
  const words = prose.split(/\s+/).filter((word) => /\w/.test(word)).length;
  if (words <= README_MAX_WORDS) return [];
  return [{ path, line: 1, message: `has ${words} words of prose: at most ${README_MAX_WORDS} fit on a screen` }];
}

/** Two pages with one title are one row of a search twice. */
export function repeatedTitles(files: readonly SourceFile[]): Violation[] {
  const titles = new Map<string, string>();
  return files.filter(isPage).flatMap(({ path, text }) => {
    const title = text.slice(0, text.indexOf('\n'));
    const other = titles.get(title);
    titles.set(title, path);
    return other === undefined ? [] : [{ path, line: 1, message: `has the title of ${other}` }];
  });
}

/** The paths of the service: of its API description, and those beside it. */
export interface Routes {
  /** By method and path, such as `GET /api/v2/actions/{ref}`. */
  has(method: string, path: string): boolean;
}

const CODE = /^```(?:sh|bash|http)\n[\s\S]*?^```$|`[^`\n]+`/gm;
/** A path, in which `$(…)` stands for a segment; what ends with `…` is the beginning of one and says nothing. */
const ADDRESS = String.raw`(\/(?:[\w./{}:-]|\$\([^)]*\)|\$)*)(?!…|[\w./{}:$-])`;
const BY_METHOD = new RegExp(String.raw`\b(GET|POST|PUT|PATCH|DELETE|HEAD) "?${ADDRESS}`, 'g');
const BY_CURL = new RegExp(String.raw`curl\b(?:[^\\\n]|\\\n)*?\$BASE${ADDRESS}`, 'g');

/** The addresses in examples and in the text that no route of the service answers. */
export function unknownAddresses(files: readonly SourceFile[], routes: Routes): Violation[] {
  return files
    .filter((file) => isPage(file) || file.path === 'README.md')
    .flatMap(({ path, text }) =>
      [...text.matchAll(CODE)].flatMap(({ 0: code, index }) => {
        const named = [...code.matchAll(BY_METHOD)].map((match) => ({
          at: match.index,
          method: match[1] ?? '',
          address: match[2] ?? '',
        }));
        const called = [...code.matchAll(BY_CURL)].map((match) => ({
          at: match.index,
          method: methodOf(match[0] + restOfCommand(code, match.index + match[0].length)),
          address: match[1] ?? '',
        }));
        return [...named, ...called]
          .filter(({ method, address }) => !routes.has(method, address))
          .map(({ at, method, address }) => ({
            path,
            line: lineAt(text, index + at),
            message: `names ${method} ${address}, which is no route of the service`,
          }));
      }),
    );
}

/** What of a curl command follows its address: to the end of the line that no backslash continues. */
function restOfCommand(code: string, from: number): string {
  return /^(?:[^\\\n]|\\[\s\S])*/.exec(code.slice(from))?.[0] ?? '';
}

function methodOf(command: string): string {
  const [, named] = /-X "?(\$?\w+)/.exec(command) ?? [];
  if (named !== undefined) return named;
  return /\s(-d|-F|--data-binary|--data-urlencode)\b/.test(command) ? 'POST' : 'GET';
}

/** A page of `docs/` that the navigation names not once, and a route that is no page. `named` are its routes, in order. */
export function misplacedPages(files: readonly SourceFile[], named: readonly string[]): Violation[] {
  const pages = files.filter(isPage).map(({ path }) => path);
  const routes = new Map(pages.map((path) => [routeOf(path), path]));
  const missing = [...routes].flatMap(([route, path]) => {
    const times = named.filter((one) => one === route).length;
    if (times === 1) return [];
    return [{ path, line: 1, message: `stands ${times} times in docs/navigation.ts, and once is right: ${route}` }];
  });
  const unknown = named.filter((route) => !routes.has(route));
  return [
    ...missing,
    ...unknown.map((route) => ({ path: 'docs/navigation.ts', line: 1, message: `names ${route}, which is no page` })),
  ];
}

function routeOf(path: string): string {
  return `/${path.replace(/^docs\/|\.md$/g, '').replace(/(^|\/)(README|index)$/, '')}`;
}
