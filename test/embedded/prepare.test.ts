import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectRoot } from '../../process/project-root.ts';

/** What `npm start` installs first, in a project of one package for development that is beside it: no registry is asked. */

const folder = mkdtempSync(path.join(tmpdir(), 'prepare-'));
for (const part of ['embedded', 'local']) mkdirSync(path.join(folder, part));
copyFileSync(path.join(projectRoot(), 'embedded/prepare.mjs'), path.join(folder, 'embedded/prepare.mjs'));
const manifest = { name: 'project', version: '1.0.0', devDependencies: { local: 'file:local' } };
const packages = {
  '': manifest,
  local: { version: '1.0.0', dev: true },
  'node_modules/local': { resolved: 'local', link: true },
};
const files = {
  'package.json': manifest,
  'package-lock.json': { name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true, packages },
  'local/package.json': { name: 'local', version: '1.0.0' },
};
for (const [name, json] of Object.entries(files)) writeFileSync(path.join(folder, name), JSON.stringify(json));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What it says, on stderr. */
function install(): string {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', npm_config_update_notifier: 'false' };
  const script = "import('./embedded/prepare.mjs').then(({ installWhereMissing }) => installWhereMissing())";
  return execFileSync('sh', ['-c', '"$0" -e "$1" 2>&1', process.execPath, script], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

it('with NODE_ENV=production what builds the project is installed, once', () => {
  expect(install()).toContain('Installing');
  expect(existsSync(path.join(folder, 'node_modules/local/package.json'))).toBe(true);
  expect(install()).toBe('');
});
