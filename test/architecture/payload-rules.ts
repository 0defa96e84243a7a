import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

const SCHEMA = 'db/schema.sql';
const BUILD_OBJECT = /\bjsonb?_build_object\(/g;
const CAMEL_CASE = /^'[a-z]+[a-z0-9]*[A-Z]\w*'$/;
const CAMEL_CASE_ALIAS = /\bAS "[a-z]+[a-z0-9]*[A-Z]\w*"/g;
/** The database hashes what its chain of receipts holds, and both SDKs hash it again: docs/receipts.md. */
const HASHED = /^CREATE OR REPLACE FUNCTION public\.receipt_content\([^]*?^;$/gm;
const REMEDY =
  'a payload that callers see is made in TypeScript (domain/events/payloads.ts): leave a snapshot with the names of columns';

/** The keys in camelCase that functions of the database give to JSON: each is a payload whose every new member needs a migration. */
export function publicPayloadsOfFunctions(files: readonly SourceFile[]): Violation[] {
  const schema = files.find(({ path }) => path === SCHEMA)?.text ?? '';
  const text = schema.replaceAll(HASHED, (hashed) => hashed.replaceAll(/[^\n]/g, ' '));
  const keys = [...text.matchAll(BUILD_OBJECT)].flatMap(({ 0: call, index }) =>
    argumentsAt(text, index + call.length)
      .filter((argument, place) => place % 2 === 0 && CAMEL_CASE.test(argument))
      .map((key) => ({ key, index })),
  );
  const aliases = [...text.matchAll(CAMEL_CASE_ALIAS)].map(({ 0: key, index }) => ({ key, index }));
  return [...keys, ...aliases].map(({ key, index }) => ({
    path: SCHEMA,
    line: lineAt(text, index),
    message: `gives JSON the key ${key} in a function of the database: ${REMEDY}`,
  }));
}

/** The arguments of a call, whose parenthesis opened before `from`. */
function argumentsAt(text: string, from: number): string[] {
  const found = [''];
  let depth = 1;
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "'") isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth += 1;
    if (!isQuoted && character === ')') depth -= 1;
    if (depth === 0) break;
    if (!isQuoted && depth === 1 && character === ',') found.push('');
    else found[found.length - 1] += character;
  }
  return found.map((argument) => argument.trim());
}
