import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the project: its path from the top with forward slashes, and its text. Planted trees in tests have the same shape. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface Violation {
  path: string;
  line: number;
  /** What is wrong, and what to do instead. */
  message: string;
}

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The output of builds, runs and tools, and what git itself ignores. */
const FOLDERS_OF_OTHERS = new Set(['.git', 'node_modules', 'dist', '.local', '.cache', 'coverage']);
const TEXT_FILE =
  /(\.(ts|tsx|mts|js|mjs|json|md|sql|yml|yaml|sh|html|css|txt)|(^|\/)(Dockerfile|LICENSE|run|\.[a-z]+(rc|ignore)|\.env\.example))$/;
const LOCAL_FILE = /(^|\/)\.env$|\.log$/;

/** Every text file of the checkout, ordered by path. */
export function loadTree(root: string = PROJECT_ROOT): SourceFile[] {
  const files: SourceFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!FOLDERS_OF_OTHERS.has(entry.name)) visit(full);
        continue;
      }
      const path = relative(root, full).split(sep).join('/');
      if (entry.isFile() && TEXT_FILE.test(path) && !LOCAL_FILE.test(path)) {
        files.push({ path, text: readFileSync(full, 'utf8') });
      }
    }
  };
  visit(root);
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** What people write; not what is generated for an SDK, which is long and follows from the routes. */
export function typescriptOf(files: readonly SourceFile[]): SourceFile[] {
  return files.filter((file) => /\.tsx?$/.test(file.path) && !file.path.startsWith('sdk/typescript/src/generated/'));
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** One line for each, in the form that editors turn into links. */
export function report(violations: readonly Violation[]): string {
  return violations.map(({ path, line, message }) => `${path}:${line} ${message}`).join('\n');
}
