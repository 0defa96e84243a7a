import { describe, expect, test } from 'vitest';
import { PRODUCT } from '../../domain/product.ts';
import { lineAt, loadTree, report, type SourceFile, type Violation } from './source-tree.ts';

const TREE = loadTree();
const [MAJOR] = PRODUCT.version.split('.');
/** Two pages: what somebody reads before an upgrade. */
const CHANGELOG_BYTES_MAX = 14_000;

function textOf(path: string): string {
  const file = TREE.find((each) => each.path === path);
  if (file === undefined) throw new Error(`${path} is not there`);
  return file.text;
}

function jsonOf(path: string): unknown {
  return JSON.parse(textOf(path));
}

/** Other spellings of the product's name, such as “Agent Action Service” or “agent-actions-api”. */
const NAME_LIKE = /\bagent[ -]actions?[ -](?:execution[ -])?(?:runtime|service|server|platform|api|worker)\b/gi;

function otherNames(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(NAME_LIKE)].flatMap((match) =>
      match[0] === PRODUCT.name || match[0] === PRODUCT.id
        ? []
        : [
            {
              path: file.path,
              line: lineAt(file.text, match.index),
              message: `“${match[0]}”: write “${PRODUCT.name}”`,
            },
          ],
    ),
  );
}

describe('the product has one name and one version', () => {
  test('in package.json and its lock file', () => {
    const expected = { name: PRODUCT.id, version: PRODUCT.version };
    expect(jsonOf('package.json')).toMatchObject(expected);
    expect(jsonOf('package-lock.json')).toMatchObject({
      ...expected,
      packages: { '': expected },
    });
  });

  test('in the packages of the SDKs', () => {
    const packages = TREE.filter(({ path }) => /^sdk\/[\w-]+\/package\.json$/.test(path));
    expect(packages.length).toBeGreaterThan(0);
    for (const { path, text } of packages) {
      const name = expect.stringContaining(`${PRODUCT.id}-`) as string;
      expect(JSON.parse(text), path).toMatchObject({ name, version: PRODUCT.version });
    }
  });

  test('in the API description, whose paths have its major number', () => {
    const { info, paths } = jsonOf('docs/openapi.json') as { info: object; paths: object };
    expect(info).toMatchObject({ title: PRODUCT.name, version: PRODUCT.version });
    const versions = Object.keys(paths).flatMap((path) => /^\/api\/(v\d+)\//.exec(path)?.[1] ?? []);
    expect([...new Set(versions)]).toEqual([`v${MAJOR}`]);
  });

  test('in the README, the changelog and the image', () => {
    expect(textOf('README.md')).toMatch(new RegExp(`^# ${PRODUCT.name}\n`));
    expect(textOf('CHANGELOG.md')).toContain(PRODUCT.version);
    expect(textOf('docker-compose.yml')).toContain(`name: ${PRODUCT.id}\n`);
    expect(textOf('docker-compose.yml')).toContain(`image: ${PRODUCT.id}\n`);
  });

  test('and a changelog of two pages', () => {
    const bytes = Buffer.byteLength(textOf('CHANGELOG.md'));
    expect(bytes, 'say what a release is, and leave the history to git').toBeLessThanOrEqual(CHANGELOG_BYTES_MAX);
  });

  test('and no other spelling anywhere', () => {
    const others = TREE.filter(
      ({ path }) => path !== 'test/architecture/product.test.ts' && !path.endsWith('-lock.json'),
    );
    expect(report(otherNames(others))).toBe('');
    const planted = ['the Agent Action Execution Service', "'agent-actions-api'", 'Agent Action Runtime'];
    for (const text of planted) expect(report(otherNames([{ path: 'api/x.ts', text }]))).toContain('api/x.ts:1');
  });
});
