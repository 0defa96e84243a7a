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
