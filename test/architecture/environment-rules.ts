import { parseSync } from 'oxc-parser';
import { posix } from 'node:path';
import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

/**
 * docs/howto/add-a-route.md says where a statement writes the environment's condition. A list of an environment's table always does,
 * because its index begins with the environment; a statement that names its row or its parent by id never does, because row-level
 * security adds it.
 */
const CONDITION = 'environment_id = current_environment_id()';
const PAGE = 'docs/howto/add-a-route.md';

/** The ids of callers and of traces are unique in an environment alone, and found by an index that begins with it. */
const NAMED_BY_ID = /\b(?!public_id\b|trace_id\b)(?:\w+_)?id\s*=\s*(?:\?|:\w+|ANY\b)/;
const ROW_BY_ID = new RegExp(
  String.raw`environment_id = current_environment_id\(\)\s+AND\s+(?:\w+\.)?${NAMED_BY_ID.source}`,
  'g',
);

/** A declaration at the top of a file of `db`. */
interface Declaration {
  path: string;
  start: number;
  text: string;
  isExported: boolean;
}

type Declarations = ReadonlyMap<string, ReadonlyMap<string, Declaration>>;

export function checkEnvironments(files: readonly SourceFile[]): Violation[] {
  const inDb = files.filter(({ path }) => /^db\/(?!migrations\/).*\.ts$/.test(path));
  const declarations = declarationsIn(inDb);
  const tables = environmentTables(files.find(({ path }) => path === 'db/schema.sql')?.text ?? '');
  return inDb.flatMap((file) => [
    ...checkRows(file),
    ...listsOf(file, declarations).flatMap((list) => checkList(list, file, { declarations, tables })),
  ]);
}

function checkRows({ path, text }: SourceFile): Violation[] {
  return [...text.matchAll(ROW_BY_ID)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    message: `names rows by their id and writes “${CONDITION}” too: leave it to row-level security, which adds it (${PAGE})`,
  }));
}

function checkList(
  [name, list]: [string, Declaration],
  file: SourceFile,
  { declarations, tables }: { declarations: Declarations; tables: ReadonlySet<string> },
): Violation[] {
  const sql = withFragments(list, declarations);
  const isOfEnvironment = [...sql.matchAll(/\b(?:FROM\s+|JOIN\s+|from: ['"`])(\w+)/g)].some(([, table = '']) =>
    tables.has(table),
  );
  if (!isOfEnvironment || sql.includes(CONDITION) || NAMED_BY_ID.test(withoutOptional(sql))) return [];
  return [
    {
      path: file.path,
      line: lineAt(file.text, list.start),
      message: `has the list ${name} without its environment: begin its WHERE with “${CONDITION}”, as its index begins, or name its parent by id (${PAGE})`,
    },
  ];
}

/** What sends a statement of its own. */
const SENDS = /\btx\.(raw|rows?)\b/;
/** The functions of db/page.ts that send the statements of lists. */
const SENDS_LIST = /\b(?:pageOf|itemsOf|rowsAfter)\b/;

/** Exported functions over an environment's transaction that are named `list…`, or send what db/page.ts makes of a list. */
function listsOf({ path }: SourceFile, declarations: Declarations): [string, Declaration][] {
  return [...(declarations.get(path) ?? [])].filter(
    ([name, { path: declaredIn, isExported, text }]) =>
      declaredIn === path &&
      isExported &&
      /\btx: EnvironmentTransaction\b/.test(text) &&
      (SENDS_LIST.test(text) || (/^list[A-Z]/.test(name) && SENDS.test(text))),
  );
}

/** The text of a declaration with that of the fragments of SQL that it is made of, also those of other files. */
function withFragments(list: Declaration, declarations: Declarations): string {
  const found = new Set([list]);
  for (const { path, text } of found) {
    for (const [name] of text.matchAll(/\b[A-Za-z]\w*\b/g)) {
      const fragment = declarations.get(path)?.get(name);
      // What runs a statement of its own is no fragment.
      if (fragment !== undefined && !SENDS.test(fragment.text)) found.add(fragment);
    }
  }
  return [...found].map(({ text }) => text).join('\n');
}

/** Without subqueries, and without the conditions of filters that a caller may leave out. */
function withoutOptional(sql: string): string {
  const filters = /\bfilters: \{(?:\$\{[^{}]*\}|[^{}])*\}/g;
  const innermost = /\((?:[^()]*\bIS NULL OR\b[^()]*|\s*SELECT\b[^()]*)\)/g;
  const flat = sql.replaceAll(/\b(?:CAST|COALESCE|current_environment_id|now|lower)\([^()]*\)/g, '_');
  const stripped = flat.replaceAll(innermost, '_').replaceAll(filters, '');
  return stripped === sql ? sql : withoutOptional(stripped);
}

function environmentTables(schema: string): ReadonlySet<string> {
  return new Set(
    [...schema.matchAll(/^CREATE TABLE (\w+) \(([^;]*?)^\)/gm)].flatMap(([, table = '', columns = '']) =>
      /^\s+environment_id /m.test(columns) ? [table] : [],
    ),
  );
}

interface TopNode {
  type: string;
  start: number;
  end: number;
  declaration?: TopNode | null;
  declarations?: { id: { name?: string } }[];
  id?: { name?: string } | null;
  source?: { value: string } | null;
  specifiers?: { local: { name: string }; imported?: { name?: string } }[];
}

/** By the path of a file, its functions and constants by their names, and what it imports of other files. */
function declarationsIn(files: readonly SourceFile[]): Declarations {
  const parsed = files.map((file) => {
    const body = parseSync(file.path, file.text).program.body as unknown as TopNode[];
    return { file, body, found: declaredIn(file, body) };
  });
  const declarations = new Map(parsed.map(({ file, found }) => [file.path, found]));
  for (const { file, body, found } of parsed) {
    for (const { source, specifiers } of body) {
      const from = declarations.get(posix.join(posix.dirname(file.path), source?.value ?? ''));
      for (const { local, imported } of specifiers ?? []) {
        const declaration = from?.get(imported?.name ?? '');
        if (declaration !== undefined) found.set(local.name, declaration);
      }
    }
  }
  return declarations;
}

function declaredIn({ path, text }: SourceFile, body: readonly TopNode[]): Map<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const node of body) {
    const isExported = node.type === 'ExportNamedDeclaration';
    const declared = isExported ? node.declaration : node;
    if (declared?.type.startsWith('TS') === true) continue;
    for (const name of [declared?.id?.name, ...(declared?.declarations ?? []).map(({ id }) => id.name)]) {
      if (name === undefined) continue;
      found.set(name, { path, start: node.start, text: text.slice(node.start, node.end), isExported });
    }
  }
  return found;
}
