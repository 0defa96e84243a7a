import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PRODUCT } from '../../domain/product.ts';
import { projectRoot } from '../../process/project-root.ts';

/** `npm run release`, without what takes minutes: the packages, the image and the chart. */

/** The scripts run without a build, so they are plain JavaScript. */
const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(path.join(projectRoot(), 'ops', 'release', file)).href)) as Module;
const { checksumsOf, refuseUnfit } = await load<{
  checksumsOf: (folder: string) => string;
  refuseUnfit: (root: string, isDryRun: boolean) => unknown;
}>('release.mjs');
const { sbom } = await load<{ sbom: () => string }>('sbom.mjs');
const { disagreements, notesOf, versionsOf } = await load<{
  disagreements: (versions: Record<string, string>) => string[];
  notesOf: (changelog: string) => { notes: string; isDated: boolean };
  versionsOf: (root: string) => Record<string, string>;
}>('versions.mjs');

const CHANGELOG = '# Changelog\n\n## 2.1.0 (2026-12-01)\n\nA thing.\n\n## 2.0.0\n\nAnother.\n';

describe('the versions', () => {
  test('agree in every place that says one', () => {
    const versions = versionsOf(projectRoot());
    expect(Object.keys(versions).length).toBeGreaterThan(10);
    expect(versions['package.json']).toBe(PRODUCT.version);
    expect(disagreements(versions)).toEqual([]);
  });

  test('that differ are named', () => {
    const versions = { ...versionsOf(projectRoot()), 'docs/openapi.json': '1.9.9' };
    expect(disagreements(versions)).toEqual([`docs/openapi.json says 1.9.9, and package.json says ${PRODUCT.version}`]);
  });
});

test('the notes are the newest section, and a release has a date', () => {
  expect(notesOf(CHANGELOG)).toEqual({ notes: 'A thing.', isDated: true });
  expect(notesOf(CHANGELOG.replace('2026-12-01', 'Unreleased')).isDated).toBe(false);
});

test('a tree with a change is refused, with the file', () => {
  const folder = temporaryFolder();
  expect(spawnSync('git', ['init', '--quiet', folder]).status).toBe(0);
  writeFileSync(path.join(folder, 'changed.ts'), '');
  expect(() => refuseUnfit(folder, true)).toThrow(/Commit first.*\n\?\? changed\.ts/);
});

test('checksums are what sha256sum takes', () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'a.tgz'), 'a');
  writeFileSync(path.join(folder, 'SHA256SUMS'), checksumsOf(folder));
  const check = () => spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder }).status;
  expect(check()).toBe(0);
  writeFileSync(path.join(folder, 'a.tgz'), 'b');
  expect(check()).toBe(1);
});

test('the bill of materials names the product and each package at run time', () => {
  const bom = JSON.parse(sbom()) as {
    bomFormat: string;
    metadata: { component: { name: string; version: string } };
    components: { name: string; version: string; licenses?: unknown[] }[];
  };
  expect(bom.bomFormat).toBe('CycloneDX');
  expect(bom.metadata.component).toMatchObject({ name: PRODUCT.id, version: PRODUCT.version });
  const { dependencies } = JSON.parse(readFileSync(path.join(projectRoot(), 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const named = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
  expect(Object.entries(dependencies).filter(([name, version]) => !named.has(`${name}@${version}`))).toEqual([]);
  expect(bom.components.some(({ name }) => name === 'vitest')).toBe(false);
});

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
