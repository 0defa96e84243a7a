import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const RELATIVE_IMPORT = /(\bfrom\s*|\bimport\s*)(["'])(\.{1,2}\/[^"']+)\.ts\2/g;

let folder: string | null = null;
const compiled = new Map<string, string>();

/**
 * Compiles a module and its imports to JavaScript, for a thread or process outside vitest's loader: Node 20 reads
 * no TypeScript. Compiles the current source, once for each test process. (A loader within the thread does not work: Node 20
 * crashes when a second thread registers one.)
 */
export function compiledModule(file: string): URL {
  if (folder === null) {
    // Below the project, so that its packages are found.
    const made = mkdtempSync(path.join(ROOT, 'node_modules', '.compiled-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    writeFileSync(path.join(made, 'package.json'), '{"type":"module"}');
    folder = made;
  }
  return pathToFileURL(compile(path.join(ROOT, file), folder));
}

function compile(source: string, into: string): string {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const target = path.join(into, path.relative(ROOT, source)).replace(/\.ts$/, '.js');
  compiled.set(source, target);
  const { code } = transformSync(readFileSync(source, 'utf8'), {
    filename: source,
    configFile: false,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022', transform: { verbatimModuleSyntax: true } },
    module: { type: 'es6' },
  });
  const rewritten = code.replaceAll(RELATIVE_IMPORT, (_, word: string, quote: string, specifier: string) => {
    compile(path.resolve(path.dirname(source), `${specifier}.ts`), into);
    return `${word}${quote}${specifier}.js${quote}`;
  });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, rewritten);
  return target;
}
