import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../../process/project-root.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { dependenciesOf, done, PACKAGES, run } from './packages.ts';

/** `npm pack` in a fresh clone, and what it packs, in an empty folder. No registry is asked. */

const parent = mkdtempSync(path.join(tmpdir(), 'pack-'));
const clone = path.join(parent, 'clone');
const packed = path.join(parent, 'packed');
beforeAll(() => {
  const isSource = (file: string): boolean => !/\/(dist|node_modules|\.venv|__pycache__)$/.test(file);
  mkdirSync(packed);
  for (const part of ['sdk', 'tsconfig.json', 'package.json'])
    cpSync(path.join(projectRoot(), part), path.join(clone, part), { recursive: true, filter: isSource });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const pack = (folder: string) =>
  run('npm', ['pack', '--pack-destination', packed, '--loglevel=error'], { cwd: path.join(clone, folder) });

it('says what is missing where nothing is installed, and packs nothing', async () => {
  const { code, errors } = await pack('sdk/cli');
  expect(code).not.toBe(0);
  expect(errors).toContain('TypeScript is not installed: run npm ci in the folder above sdk first.');
  expect(readdirSync(packed)).toEqual([]);
});

it('builds before it packs, and what it packs works in an empty folder', { timeout: PATIENCE_MS }, async () => {
  symlinkSync(path.join(projectRoot(), 'node_modules'), path.join(clone, 'node_modules'));
  // The command line first: the SDK that it is compiled against is built with it.
  for (const folder of ['sdk/cli', 'sdk/typescript']) expect(await pack(folder)).toMatchObject({ code: 0, errors: '' });
  rmSync(path.join(clone, 'sdk/typescript/dist'), { recursive: true });
  expect(await pack('sdk/typescript')).toMatchObject({ code: 0 });
  expect(existsSync(path.join(clone, 'sdk/typescript/dist/index.js'))).toBe(true);

  const dependencies = dependenciesOf(PACKAGES).map((one) => path.join(projectRoot(), one));
  await done('npm', ['pack', '--ignore-scripts', '--pack-destination', packed, ...dependencies], projectRoot());
  const empty = path.join(parent, 'empty');
  mkdirSync(empty);
  writeFileSync(path.join(empty, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const tarballs = readdirSync(packed).map((file) => path.join(packed, file));
  await done('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs], empty);
  const help = await run(path.join(empty, 'node_modules/.bin/agent-actions'), ['effects', '--help'], { cwd: empty });
  expect(help).toMatchObject({ code: 0, output: expect.stringContaining('resolve [options] <id>') as string });
  const program = "const { createClient } = await import('agent-action-runtime-sdk'); console.log(typeof createClient)";
  expect(await run(process.execPath, ['-e', program], { cwd: empty })).toMatchObject({ code: 0, output: 'function\n' });
});
