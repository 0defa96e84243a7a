import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { slug } from 'github-slugger';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { AREAS, CHECKS } from '../../../embedded/doctor/checks.ts';
import { projectRoot } from '../../../process/project-root.ts';

const DOCS = path.join(projectRoot(), 'docs');
const PAGE = path.join(DOCS, 'doctor.md');

function tableOf(area: string): string {
  const rows = (AREAS[area] ?? []).map(({ name, holds, page }) => `| \`${name}\` | ${holds} | [more](${page}) |`);
  return ['| Check | What holds | |', '|---|---|---|', ...rows].join('\n');
}

test('docs/doctor.md has every check (npm run docs:doctor)', async () => {
  let page = readFileSync(PAGE, 'utf8');
  for (const area of Object.keys(AREAS)) {
    const table = new RegExp(String.raw`(^### ${area}\n\n)(?:\|.*\n)+`, 'm');
    expect(page, area).toMatch(table);
    page = page.replace(table, (_, before: string) => `${before}${tableOf(area)}\n`);
  }
  const options = await resolveConfig(PAGE);
  await expect(await format(page, { ...options, filepath: PAGE })).toMatchFileSnapshot(PAGE);
});

test('each check has a name of its own, and a page with the heading that it names', () => {
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  const missing = CHECKS.filter(({ page }) => {
    const [file = '', anchor] = page.split('#');
    if (!existsSync(path.join(DOCS, file))) return true;
    const headings = readFileSync(path.join(DOCS, file), 'utf8').match(/^#+ .+$/gm) ?? [];
    return anchor !== undefined && !headings.some((heading) => slug(heading.replace(/^#+ /, '')) === anchor);
  });
  expect(missing.map(({ name, page }) => [name, page])).toEqual([]);
});
