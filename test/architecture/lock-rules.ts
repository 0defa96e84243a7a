import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

const PAGE = 'docs/lock-order.md';
const CALL = /pg_(try_)?advisory_(?:xact_)?lock(_shared)?\(/g;
/** `waits` excludes everybody, `shares` excludes who waits for it alone, `tries` never waits. */
type Mode = 'waits' | 'shares' | 'tries';

interface Taken {
  /** The function that makes the key, or the text that it begins with. */
  name: string;
  path: string;
  line: number;
  mode: Mode;
}

/**
 * What is wrong between the page of the lock order and the code: an advisory lock that the page does not name, or says something else of,
 * and one that nothing takes. `db/schema.sql` repeats the migrations and is not read.
 */
export function undocumentedLocks(files: readonly SourceFile[]): Violation[] {
  const taken = files.filter(({ path }) => /^(db|embedded)\/.*\.ts$/.test(path)).flatMap(locksOf);
  const page = files.find(({ path }) => path === PAGE)?.text ?? '';
  const rows = new Map(rowsOf(page).map((row) => [row.name, row]));
  const nameless = taken
    .filter(({ name }) => name === '')
    .map(({ path, line }) => ({
      path,
      line,
      message:
        "takes an advisory lock without a name: begin its key with one, such as hashtextextended('topics/' || …)",
    }));
  const names = new Set(taken.map(({ name }) => name).filter((name) => name !== ''));
  const wrong = [...names].flatMap((name) => {
    const of = taken.filter((lock) => lock.name === name);
    const expected = { modes: sorted(of.map(({ mode }) => mode)), paths: sorted(of.map(({ path }) => path)) };
    const row = rows.get(name);
    if (row !== undefined && row.modes === expected.modes && row.paths === expected.paths) return [];
    const [{ path, line }] = of as [Taken];
    const message = `takes the advisory lock ${name}: give it a row in ${PAGE} with "${expected.modes}" and ${expected.paths}`;
    return [{ path, line, message }];
  });
  const gone = [...rows.values()]
    .filter(({ name }) => !names.has(name))
    .map(({ name, line }) => ({
      path: PAGE,
      line,
      message: `names the lock ${name}, which nothing takes: remove its row`,
    }));
  return [...nameless, ...wrong, ...gone];
}

function locksOf({ path, text }: SourceFile): Taken[] {
  return [...text.matchAll(CALL)].map(({ 0: call, 1: tries, 2: shares, index }) => ({
    name: nameOf(argumentAt(text, index + call.length)),
    path,
    line: lineAt(text, index),
    mode: tries !== undefined ? 'tries' : shares !== undefined ? 'shares' : 'waits',
  }));
}

/** The text to the parenthesis that closes the one before `from`. */
function argumentAt(text: string, from: number): string {
  let depth = 1;
  let end = from;
  for (; end < text.length && depth > 0; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
  }
  return text.slice(from, end - 1);
}

function nameOf(key: string): string {
  return /\b(\w+_lock_of)\(/.exec(key)?.[1] ?? /'([^'/]+)\/?'?/.exec(key)?.[1] ?? '';
}

/** A row: `| name | what it guards | mode | files |`. */
function rowsOf(page: string): { name: string; line: number; modes: string; paths: string }[] {
  const section = /^## Advisory locks\n[^]*?(?=^## |$(?![^]))/m.exec(page);
  if (section === null) return [];
  return [...section[0].matchAll(/^\| `([^`]+)` +\|(.*)\|([^|]*)\|([^|]*)\|$/gm)].map((match) => ({
    name: match[1] ?? '',
    line: lineAt(page, section.index + match.index),
    modes: sorted((match[3] ?? '').trim().split(', ')),
    paths: sorted([...(match[4] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)),
  }));
}

function sorted(words: readonly string[]): string {
  return [...new Set(words)].toSorted().join(', ');
}
