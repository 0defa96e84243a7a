import { posix } from 'node:path';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { lineAt, loadTree, PROJECT_ROOT, report, type SourceFile, type Violation } from './source-tree.ts';

/** Finds broken links in the pages, and commands that package.json does not have. */
function brokenLinks(files: readonly SourceFile[], scripts: ReadonlySet<string>): Violation[] {
  const pages = files.filter((file) => file.path.endsWith('.md'));
  return pages.flatMap((file) => [...brokenPaths(file), ...unknownScripts(file, scripts)]);
}

function brokenPaths(file: SourceFile): Violation[] {
  return [...file.text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].flatMap((match) => {
    const target = posix.join(posix.dirname(file.path), match[1] ?? '');
    if (existsSync(path.join(PROJECT_ROOT, target))) return [];
    return [
      { path: file.path, line: lineAt(file.text, match.index), message: `links to ${target}, which is not there` },
    ];
  });
}

function unknownScripts(file: SourceFile, scripts: ReadonlySet<string>): Violation[] {
  return [...file.text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].flatMap((match) => {
    const script = match[1] ?? '';
    if (scripts.has(script)) return [];
    return [
      {
        path: file.path,
        line: lineAt(file.text, match.index),
        message: `names "npm run ${script}", which package.json does not have`,
      },
    ];
  });
}

describe('the pages', () => {
  test('link to what is there, and name commands that exist', () => {
    const tree = loadTree();
    const text = tree.find((file) => file.path === 'package.json')?.text ?? '{}';
    const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
    expect(report(brokenLinks(tree, new Set(Object.keys(scripts))))).toBe('');
  });

  test.each([
    ['a link', 'see [this](docs/nowhere.md)', /links to docs\/nowhere\.md/],
    ['a command', 'then `npm run nothing`', /npm run nothing/],
  ])('a broken one is found: %s', (_what, text, says) => {
    expect(report(brokenLinks([{ path: 'README.md', text }], new Set(['lint'])))).toMatch(says);
  });
});
