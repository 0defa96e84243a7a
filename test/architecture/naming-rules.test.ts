import { describe, expect, test } from 'vitest';
import { checkNames, staleNames } from './naming-rules.ts';
import { loadTree, report } from './source-tree.ts';

const PLANTED: { path: string; text?: string; says: RegExp }[] = [
  { path: 'api/secrets/putSecret.ts', says: /kebab-case/ },
  { path: 'db/Secrets/put-secret.ts', says: /kebab-case/ },
  { path: 'utils/helper.ts', says: /new top folder/ },
  { path: 'helper.ts', says: /stands at the top/ },
  { path: 'api/secrets/routes.test.ts', says: /outside test/ },
  { path: 'test/api/secrets.ts', text: "import { test } from 'vitest';\ntest('x', () => {});", says: /never run/ },
];

describe('names', () => {
  test('hold in this project', () => {
    expect(report(checkNames(loadTree()))).toBe('');
  });

  test('of areas and folders are those of folders that are there', () => {
    const gone = staleNames(loadTree());
    expect(gone, 'remove what is gone from test/architecture/naming-rules.ts').toEqual([]);
  });

  test.each(PLANTED)('finds $path', ({ path, text = '', says }) => {
    expect(report(checkNames([{ path, text }]))).toMatch(says);
  });

  test.each([
    'api/secrets/routes.ts',
    'workflows/invocations/invoke-action.workflow.ts',
    'test/api/secrets.test.ts',
    '.ci/run',
  ])('lets %s be', (path) => {
    expect(checkNames([{ path, text: '' }])).toEqual([]);
  });
});
