import { isNode, syntaxOf, type SyntaxNode, visit } from './parse-module.ts';
import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

const AT_ONCE = new Set(['all', 'allSettled', 'race', 'any']);
/** It awaits the steps themselves. */
const SENDS_IN_ORDER = 'db/transaction.ts';

/**
 * `Promise.all` and the like over a transaction: anywhere in db, where every function has one, and elsewhere where the call names a
 * transaction that is not opened within it.
 */
export function checkTransactions(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => /^(db|api|activities)\/.*\.ts$/.test(path) && path !== SENDS_IN_ORDER)
    .filter(({ text }) => /\bPromise\s*\.\s*(all|allSettled|race|any)\b/.test(text))
    .flatMap((file) => {
      const found: Violation[] = [];
      visit(syntaxOf(file), (node) => {
        if (!isAtOnce(node)) return;
        if (!file.path.startsWith('db/') && !namesTransaction(node['arguments'])) return;
        found.push({
          path: file.path,
          line: lineAt(file.text, node.start),
          message:
            'sends statements of a transaction at once, in an order that nothing holds: write `await tx.inOrder(() => one(tx), () => other(tx))`, which takes one round trip too',
        });
      });
      return found;
    });
}

function isAtOnce(node: SyntaxNode): boolean {
  const { callee } = node;
  if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  return isNode(object) && object['name'] === 'Promise' && isNode(property) && AT_ONCE.has(String(property['name']));
}

/** A transaction is named `tx` everywhere. One that a function within takes as its parameter is of its own. */
function namesTransaction(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesTransaction);
  if (!isNode(value)) return false;
  if (value.type === 'Identifier') return value['name'] === 'tx';
  const { params } = value;
  if (Array.isArray(params) && params.some((param) => isNode(param) && param['name'] === 'tx')) return false;
  return Object.values(value).some((child) => typeof child === 'object' && child !== null && namesTransaction(child));
}

const NAME = /^[a-z][a-z0-9_]{0,49}$/;
/** The methods of a transaction that send one statement. */
const SENDS = /^(raw|rows?)$/;
/** Their statements are named by their callers. */
const HANDS_NAMES_ON = /^db\/(client|page)\.ts$/;
const LISTS = /^(pageOf|itemsOf|rowsAfter)$/;
/** What the transactions themselves send. */
const NAMES_OF_TRANSACTIONS = /name: '([a-z_]+)'/g;

/**
 * Names of statements: each call of `raw`, `rows` and `row` in shipped code has a literal one, which stands nowhere else, and says `variantsOf` where its
 * text is not the same at each call.
 */
export function checkNames(files: readonly SourceFile[]): Violation[] {
  const found: Violation[] = [];
  const seen = new Map<string, string>();
  for (const { path, text } of files) {
    if (!/^db\/(scope|transaction)\.ts$/.test(path)) continue;
    for (const [, name = ''] of text.matchAll(NAMES_OF_TRANSACTIONS)) seen.set(name, path);
  }
  for (const file of files) {
    if (!/^(db|api|activities|embedded)\/.*\.ts$/.test(file.path)) continue;
    // knex has a `raw` too.
    if (
      !/\.(raw|rows?)\b|from '\.\.\/page\.ts'/.test(file.text) ||
      HANDS_NAMES_ON.test(file.path) ||
      file.text.includes("from 'knex'")
    )
      continue;
    visitCalls(syntaxOf(file), [], (call, functions) => {
      const add = (message: string): void => {
        found.push({ path: file.path, line: lineAt(file.text, call.start), message });
      };
      const [name, sql] = nameAndText(call, functions.map(localsOf));
      const { literal, isVaried } = nameOf(name);
      if (literal === null || !NAME.test(literal)) {
        return add(
          "sends a statement without a literal name: write tx.raw('claim_dispatch', `…`, values), at most 50 characters of a-z, 0-9 and _",
        );
      }
      const other = seen.get(literal);
      if (other !== undefined) add(`names a statement ${literal}, as ${other} does: give it a name of its own`);
      seen.set(literal, `${file.path}:${lineAt(file.text, call.start)}`);
      if (!isVaried && !isConstant(sql, functions.map(localsOf))) {
        add(
          `builds the text of ${literal} for each call: name it { variantsOf: '${literal}' }, or make the text a constant`,
        );
      }
    });
  }
  return found;
}

/** The name and the text of `raw`, or the name of a list and all that its text is made of. */
function nameAndText(call: SyntaxNode, scopes: readonly Locals[]): [unknown, unknown] {
  const [first, second] = call['arguments'] as [unknown, unknown];
  if (isNode(call['callee']) && call['callee'].type !== 'Identifier') return [first, second];
  const list = isNode(second) && second.type === 'Identifier' ? scopes[0]?.get(String(second['name'])) : second;
  if (!isNode(list) || list.type !== 'ObjectExpression') return [null, null];
  const given = new Map((list['properties'] as SyntaxNode[]).map((each) => [keyOf(each), each]));
  const name = given.get('name')?.['value'];
  const text = [...given].filter(([key]) => key !== 'name' && key !== 'asked').map(([, each]) => each);
  const made: SyntaxNode = { type: 'ArrayExpression', start: call.start, elements: text };
  return [name, made];
}

const keyOf = ({ key }: SyntaxNode): string => (isNode(key) ? String(key['name']) : '');

function nameOf(node: unknown): { literal: string | null; isVaried: boolean } {
  if (!isNode(node)) return { literal: null, isVaried: false };
  const [property] = node.type === 'ObjectExpression' ? (node['properties'] as SyntaxNode[]) : [];
  const named = property === undefined ? node : property['value'];
  const literal =
    isNode(named) && named.type === 'Literal' && typeof named['value'] === 'string' ? named['value'] : null;
  return { literal, isVaried: property !== undefined };
}

const isFunction = ({ type }: SyntaxNode): boolean =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunction.*)$/.test(type);
const childrenOf = (node: SyntaxNode): SyntaxNode[] => Object.values(node).flat().filter(isNode);

/** `functions`: those around the call, the innermost first. */
function visitCalls(
  value: unknown,
  functions: readonly SyntaxNode[],
  each: (call: SyntaxNode, functions: readonly SyntaxNode[]) => void,
): void {
  if (!isNode(value)) return;
  const { callee } = value;
  if (value.type === 'CallExpression' && isNode(callee)) {
    const called = callee.type === 'MemberExpression' ? callee['property'] : callee;
    const name = isNode(called) ? String(called['name']) : '';
    if (callee.type === 'Identifier' ? LISTS.test(name) : SENDS.test(name)) each(value, functions);
  }
  const within = isFunction(value) ? [value, ...functions] : functions;
  for (const child of childrenOf(value)) visitCalls(child, within, each);
}

type Locals = ReadonlyMap<string, SyntaxNode | null>;

/** The names that a function binds: to the expression of a `const`, or to null. */
function localsOf(fn: SyntaxNode): Locals {
  const locals = new Map<string, SyntaxNode | null>();
  const bind = (pattern: unknown, value: SyntaxNode | null): void => {
    if (!isNode(pattern)) return;
    if (pattern.type === 'Identifier') locals.set(String(pattern['name']), value);
    else for (const child of childrenOf(pattern)) bind(child, null);
  };
  for (const param of fn['params'] as unknown[]) bind(param, null);
  const walk = (node: SyntaxNode): void => {
    if (node !== fn && isFunction(node)) return bind(node['id'], null);
    if (node.type === 'VariableDeclaration') {
      for (const declared of node['declarations'] as SyntaxNode[]) {
        bind(declared['id'], node['kind'] === 'const' && isNode(declared['init']) ? declared['init'] : null);
      }
    }
    childrenOf(node).forEach(walk);
  };
  walk(fn);
  return locals;
}

/** Whether an expression is made of what the module has: constants, imports and calls with these. */
function isConstant(value: unknown, scopes: readonly Locals[], bound: ReadonlySet<string> = new Set()): boolean {
  if (!isNode(value) || value.type.startsWith('TSType')) return true;
  if (value.type === 'ThisExpression' || value.type === 'AwaitExpression') return false;
  if (value.type === 'Identifier') {
    const name = String(value['name']);
    const scope = bound.has(name) ? undefined : scopes.find((one) => one.has(name));
    if (scope === undefined) return true;
    const local = scope.get(name) ?? null;
    return local !== null && isConstant(local, scopes, bound);
  }
  if (value.type === 'MemberExpression' && value['computed'] !== true)
    return isConstant(value['object'], scopes, bound);
  if (value.type === 'Property') return isConstant(value['value'], scopes, bound);
  if (!isFunction(value)) return childrenOf(value).every((child) => isConstant(child, scopes, bound));
  return isConstant(value['body'], scopes, new Set([...bound, ...localsOf(value).keys()]));
}
