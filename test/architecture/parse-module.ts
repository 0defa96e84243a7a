import { posix } from 'node:path';
import { isBuiltin } from 'node:module';
import { parseSync } from 'oxc-parser';
import { lineAt, type SourceFile } from './source-tree.ts';

export interface ModuleImport {
  specifier: string;
  line: number;
  /** Absent at run time: `import type`, `export type … from`, or `import('…')` in a type. `import { type A }` stays. */
  typeOnly: boolean;
  /** Path of the project's own file, or null. */
  file: string | null;
  /** Name of the npm package, or null. */
  packageName: string | null;
  /** A module of Node itself. */
  builtin: boolean;
}

export interface ParsedModule {
  path: string;
  imports: ModuleImport[];
  /** Lines of dynamic imports whose target is not a literal. */
  unreadableImports: number[];
  /** Lines that read `process.env`, in any form. */
  environmentReads: number[];
  /** Lines at the top of the file that declare what may change: a `let`, and a map or set. */
  state: number[];
  /** Lines that take a property by a name, keyed by that name: `db.directory` and `const { directory } = db` alike. */
  propertyReads: Map<string, number[]>;
}

export interface SyntaxNode {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Several rules read the same tree, and parsing it takes seconds. */
const parsed = new WeakMap<SourceFile, ParsedModule>();

/** What the rules need to know about one file. Throws if the file does not parse. */
export function parseModule(file: SourceFile): ParsedModule {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const found: ParsedModule = {
    path: file.path,
    imports: [],
    unreadableImports: [],
    environmentReads: [],
    state: [],
    propertyReads: new Map(),
  };
  const program = syntaxOf(file);
  if (isNode(program)) found.state = stateOf(program).map((start) => lineAt(file.text, start));
  visit(program, (node) => {
    const line = lineAt(file.text, node.start);
    readImport(node, line, found);
    readProperties(node, line, found);
  });
  parsed.set(file, found);
  return found;
}

/** The syntax tree. Throws if the file does not parse. */
export function syntaxOf(file: SourceFile): unknown {
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message ?? ''}`);
  return program;
}

const COLLECTIONS: ReadonlySet<unknown> = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);

/** Where the declarations of a module's state begin. A collection whose type says that it is read alone is none. */
function stateOf({ body }: SyntaxNode): number[] {
  const starts: number[] = [];
  for (const node of Array.isArray(body) ? body : []) {
    const declared: unknown = isNode(node) && isNode(node['declaration']) ? node['declaration'] : node;
    if (!isNode(declared) || declared.type !== 'VariableDeclaration') continue;
    const declarators = Array.isArray(declared['declarations']) ? declared['declarations'] : [];
    if (declared['kind'] !== 'const' || declarators.some(isCollection)) starts.push(declared.start);
  }
  return starts;
}

function isCollection(declarator: unknown): boolean {
  if (!isNode(declarator) || !isNode(declarator['init']) || declarator['init'].type !== 'NewExpression') return false;
  const { callee } = declarator['init'];
  const isReadOnly = JSON.stringify(declarator['id']).includes('"Readonly');
  return isNode(callee) && COLLECTIONS.has(callee['name']) && !isReadOnly;
}

export function visit(value: unknown, each: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, each);
    return;
  }
  if (!isNode(value)) return;
  each(value);
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && child !== null) visit(child, each);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function readImport(node: SyntaxNode, line: number, found: ParsedModule): void {
  const add = (source: unknown, typeOnly: boolean): void => {
    const specifier = literalOf(source);
    if (specifier === null) found.unreadableImports.push(line);
    else found.imports.push({ specifier, line, typeOnly, ...resolve(found.path, specifier) });
  };
  switch (node.type) {
    case 'ImportDeclaration':
      add(node['source'], node['importKind'] === 'type');
      break;
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      if (isNode(node['source'])) add(node['source'], node['exportKind'] === 'type');
      break;
    case 'ImportExpression':
      add(node['source'], false);
      break;
    case 'TSImportType':
      add(node['source'] ?? node['argument'], true);
      break;
    case 'CallExpression': {
      const callee = node['callee'];
      if (isNode(callee) && callee.type === 'Identifier' && callee['name'] === 'require') {
        add(Array.isArray(node['arguments']) ? node['arguments'][0] : null, false);
      }
      break;
    }
  }
}

function literalOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'TSLiteralType') return literalOf(node['literal']);
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null;
}

function resolve(from: string, specifier: string): Pick<ModuleImport, 'file' | 'packageName' | 'builtin'> {
  if (specifier.startsWith('.')) {
    return { file: posix.normalize(posix.join(posix.dirname(from), specifier)), packageName: null, builtin: false };
  }
  if (isBuiltin(specifier)) return { file: null, packageName: null, builtin: true };
  const parts = specifier.split('/');
  const packageName = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
  return { file: null, packageName, builtin: false };
}

function readProperties(node: SyntaxNode, line: number, found: ParsedModule): void {
  if (node.type === 'MemberExpression') {
    const name = nameOf(node['property'], node['computed'] === true);
    if (name === null) return;
    note(found.propertyReads, name, line);
    if (name === 'env' && isProcess(node['object'])) found.environmentReads.push(line);
  }
  if (node.type === 'VariableDeclarator' && isNode(node['id']) && node['id'].type === 'ObjectPattern') {
    for (const property of Array.isArray(node['id']['properties']) ? node['id']['properties'] : []) {
      if (!isNode(property)) continue;
      const name = nameOf(property['key'], property['computed'] === true);
      if (name === null) continue;
      note(found.propertyReads, name, line);
      if (name === 'env' && isProcess(node['init'])) found.environmentReads.push(line);
    }
  }
}

function nameOf(node: unknown, computed: boolean): string | null {
  if (!isNode(node)) return null;
  if (computed) return literalOf(node);
  return typeof node['name'] === 'string' ? node['name'] : null;
}

/** `process`, `globalThis.process`. */
function isProcess(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'Identifier') return node['name'] === 'process';
  return node.type === 'MemberExpression' && nameOf(node['property'], node['computed'] === true) === 'process';
}

function note(reads: Map<string, number[]>, name: string, line: number): void {
  const lines = reads.get(name);
  if (lines === undefined) reads.set(name, [line]);
  else lines.push(line);
}
