import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../process/project-root.ts';

/** A project of somebody else that depends on this package by its path, as npm links it. */
const project = mkdtempSync(path.join(tmpdir(), 'outside-'));
const RUN_TIMEOUT_MS = 400_000;

beforeAll(() => {
  const page = readFileSync(path.join(projectRoot(), 'docs/howto/test-your-actions.md'), 'utf8');
  const [block, ...more] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  if (block === undefined || more.length > 0) throw new Error('the page shows one block, the whole file');
  const modules = path.join(project, 'node_modules');
  mkdirSync(path.join(modules, '@types'), { recursive: true });
  symlinkSync(projectRoot(), path.join(modules, 'agent-action-runtime'), 'dir');
  for (const name of ['vitest', 'typescript', '@types/node'])
    symlinkSync(path.join(projectRoot(), 'node_modules', name), path.join(modules, name), 'dir');
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'outside', type: 'module' }));
  writeFileSync(path.join(project, 'refunds.test.ts'), block);
  const compilerOptions = { target: 'ES2023', module: 'NodeNext', strict: true, noEmit: true, types: ['node'] };
  const tsconfig = {
    compilerOptions: { ...compilerOptions, noPropertyAccessFromIndexSignature: true },
    include: ['*.ts'],
  };
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function run(script: string, ...args: string[]): { status: number | null; output: string } {
  const { PATH, HOME } = process.env;
  const file = path.join(project, 'node_modules', script);
  const options = {
    cwd: project,
    env: { PATH, HOME, NO_COLOR: '1' },
    encoding: 'utf8',
    timeout: RUN_TIMEOUT_MS,
  } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], options);
  return { status, output: `${stdout}${stderr}` };
}

test('the block of docs/howto/test-your-actions.md type-checks under strict rules', () => {
  writeFileSync(
    path.join(project, 'wrong.ts'),
    `import { startFakeTarget } from 'agent-action-runtime/testing';
const target = await startFakeTarget();
// @ts-expect-error a fault that does not exist
target.misbehave('GET /', 'explode');
// @ts-expect-error a status is a number
target.on('GET /', () => ({ status: '200' }));
`,
  );
  const { status, output } = run('typescript/bin/tsc', '-p', 'tsconfig.json');
  expect(output).toBe('');
  expect(status).toBe(0);
});

test('and passes as it stands, run by the vitest of a project outside', { timeout: RUN_TIMEOUT_MS }, () => {
  // On a crowded machine one of its tests takes more than vitest's five seconds.
  const { status, output } = run('vitest/vitest.mjs', 'run', '--testTimeout=60000', '--root', project);
  expect(output).toMatch(/Tests +4 passed \(4\)/);
  expect(status).toBe(0);
});
