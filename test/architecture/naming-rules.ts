import { parseModule } from './parse-module.ts';
import { typescriptOf, type SourceFile, type Violation } from './source-tree.ts';

const TOP_FOLDERS = new Set([
  'domain',
  'temporal',
  'workflows',
  'activities',
  'api',
  'db',
  'process',
  'embedded',
  'test',
  'demo',
  'bench',
  'sdk',
  'docs',
  'ops',
  'console',
  '.ci',
]);
const TOP_TYPESCRIPT = new Set(['server.ts', 'worker.ts', 'vitest.config.ts']);

const KEBAB_FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const KEBAB_FILE = /^[a-z0-9]+(-[a-z0-9]+)*(\.(workflow|test|config|d))?\.tsx?$/;

/** Top folders that these rules name and the tree no longer has; test/architecture/layers.ts tells of areas. */
export function staleNames(files: readonly SourceFile[]): string[] {
  const tops = new Set(files.map(({ path }) => path.split('/')[0]));
  return [...TOP_FOLDERS].filter((top) => !tops.has(top));
}

export function checkNames(files: readonly SourceFile[]): Violation[] {
  return [
    ...files.flatMap((file) => checkTop(file.path)),
    ...typescriptOf(files).flatMap((file) => [...checkPath(file.path), ...checkTest(file, files)]),
  ];
}

function at(path: string, message: string): Violation {
  return { path, line: 1, message };
}

function checkTop(path: string): Violation[] {
  const [top = '', below] = path.split('/');
  if (below !== undefined && !TOP_FOLDERS.has(top)) {
    return [
      at(
        path,
        `stands in a new top folder, ${top}: the top level stays small, put it in one of ${[...TOP_FOLDERS].join(', ')}`,
      ),
    ];
  }
  if (below === undefined && path.endsWith('.ts') && !TOP_TYPESCRIPT.has(path)) {
    return [
      at(
        path,
        'stands at the top: only the processes (server.ts, worker.ts) and vitest.config.ts do, move it into a folder',
      ),
    ];
  }
  return [];
}

function checkPath(path: string): Violation[] {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const bad = [...parts.filter((folder) => !KEBAB_FOLDER.test(folder)), ...(KEBAB_FILE.test(name) ? [] : [name])];
  return bad.map((part) => at(path, `is not kebab-case in "${part}": write words in lower case joined by hyphens`));
}

/** A test file that is named in a vitest.config.ts beside it is run by that configuration. */
function isNamedByConfiguration(path: string, files: readonly SourceFile[]): boolean {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const name = path.slice(folder.length + 1);
  return files.some((file) => file.path === `${folder}/vitest.config.ts` && file.text.includes(name));
}

function checkTest(file: SourceFile, files: readonly SourceFile[]): Violation[] {
  const isTest = file.path.endsWith('.test.ts');
  if (isTest && !file.path.startsWith('test/')) {
    return [at(file.path, 'is a test outside test/: move it to test/<area>/')];
  }
  if (isTest || !file.path.startsWith('test/') || isNamedByConfiguration(file.path, files)) return [];
  const declaresTests =
    parseModule(file).imports.some((use) => use.packageName === 'vitest' && !use.typeOnly) &&
    /^(describe|test|it)(\.\w+)*\(/m.test(file.text);
  return declaresTests ? [at(file.path, 'declares tests that never run: end its name with .test.ts')] : [];
}
