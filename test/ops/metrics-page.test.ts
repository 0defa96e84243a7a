import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { METRICS } from '../../domain/metrics/catalogue.ts';
import type { MetricDeclaration, ShownBy } from '../../domain/metrics/declaration.ts';
import { projectRoot } from '../../process/project-root.ts';

const PAGE = path.join(projectRoot(), 'docs', 'metrics.md');
const DECLARED: [string, MetricDeclaration][] = Object.entries(METRICS);

/** The headings of the page whose table is made of the catalogue. */
const SECTIONS: Record<ShownBy, string> = {
  'every process': 'Shown by every process',
  API: 'Shown by an API',
  worker: 'Shown by a worker',
  database: 'Shown for the whole installation',
};

const labelled = (name: string, labels: readonly string[]): string =>
  `\`${name}${labels.length === 0 ? '' : `{${labels.join(', ')}}`}\``;

function tableOf(shownBy: ShownBy): string {
  const rows = DECLARED.filter(([, metric]) => metric.shownBy === shownBy).map(
    ([name, { type, help, labels }]) => `| ${labelled(name, labels)} | ${type} | ${help} |`,
  );
  return ['| Metric | Type | What it says |', '|---|---|---|', ...rows].join('\n');
}

test('docs/metrics.md has every metric of the catalogue (npm run docs:metrics)', async () => {
  let page = readFileSync(PAGE, 'utf8');
  for (const [shownBy, heading] of Object.entries(SECTIONS) as [ShownBy, string][]) {
    const table = new RegExp(String.raw`(^## ${heading}\n[^|]*?\n)(?:\|.*\n)+`, 'm');
    expect(page, heading).toMatch(table);
    page = page.replace(table, (_, before: string) => `${before}${tableOf(shownBy)}\n`);
  }
  const options = await resolveConfig(PAGE);
  await expect(await format(page, { ...options, filepath: PAGE })).toMatchFileSnapshot(PAGE);
});
