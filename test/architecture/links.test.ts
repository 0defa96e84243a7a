import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenReferences } from './link-rules.ts';
import { loadTree, PROJECT_ROOT, report, type SourceFile } from './source-tree.ts';

const PLANTED_TREE: readonly SourceFile[] = [
  { path: 'package.json', text: '{"scripts":{"lint":"oxlint"}}' },
  {
    path: 'docs/page.md',
    text: '# Page\n\n## What it `does`, and why\n\n```sh\n# no heading\n```\n\n## Twice\n\n## Twice\n',
  },
  { path: 'docs/adr/0001-one.md', text: '# 0001 One\n' },
];

/** The violations of a file beside the planted tree. */
function found(path: string, text: string): string {
  const files = [...PLANTED_TREE, { path, text }];
  const paths = new Set(files.map((file) => file.path));
  return report(brokenReferences(files, (wanted) => paths.has(wanted)));
}

describe('pages and comments', () => {
  test('refer to files, headings and commands that the repository has', () => {
    const files = loadTree();
    expect(report(brokenReferences(files, (path) => existsSync(join(PROJECT_ROOT, path))))).toBe('');
  });

  test.each([
    ['README.md', 'see [this](docs/nowhere.md)', /links to docs\/nowhere\.md/],
    ['README.md', 'see [this](docs/page.md#nothing)', /docs\/page\.md#nothing/],
    ['README.md', 'see [this](docs/page.md#no-heading)', /no such heading/],
    ['docs/other.md', '# Other\n\nsee [below](#elsewhere)', /docs\/other\.md#elsewhere/],
    ['README.md', 'then `npm run nothing`', /npm run nothing/],
    ['docs/other.md', 'as `brief.md` says', /cites brief\.md/],
    ['api/x.ts', '/** Source: brief.md "Limits". */', /cites brief\.md/],
    ['api/x.ts', '// ../shared/brief.md has the reasons', /shared\/brief\.md/],
    ['api/x.ts', '/** See docs/page.md, "Elsewhere". */', /"Elsewhere", and that page has no such heading/],
    ['db/x.sql', '-- see docs/nowhere.md', /docs\/nowhere\.md/],
    ['api/x.ts', '// decided in ADR 0099', /ADR 0099/],
  ])('a broken reference is found: %s: %s', (path, text, says) => {
    expect(found(path, text)).toMatch(says);
  });

  test.each([
    ['README.md', '[this](docs/page.md#what-it-does-and-why), [that](docs/page.md#twice-1), `npm run --silent lint`'],
    ['docs/other.md', '[this](page.md#twice), `page.md`, https://example.com/guide.md'],
    ['api/x.ts', '/**\n * See docs/page.md, "What it does,\n * and why", and ADR 0001.\n */'],
  ])('a good one is left alone: %s: %s', (path, text) => {
    expect(found(path, text)).toBe('');
  });
});
