import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../../embedded/project-root.ts';
import { readSteps } from '../../embedded/walkthrough/page.ts';
import { walk, type Walk } from '../../embedded/walkthrough/walk.ts';
import { freePorts } from '../harness/embedded-stack.ts';
import { PATIENCE_MS } from '../harness/patience.ts';

/** The quick start begins a stack, and the pages of the cookbook go on with it, as a reader would. */
const parent = mkdtempSync(path.join(tmpdir(), 'quickstart-'));
let env: NodeJS.ProcessEnv;
let stack: Walk | null = null;

beforeAll(async () => {
  chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
  const { PATH = '', HOME = '' } = process.env;
  env = { PATH, HOME, DATA_DIR: path.join(parent, 'data'), ...(await freePorts()) };
});
afterAll(async () => {
  await stack?.end();
  rmSync(parent, { recursive: true, force: true });
});

const walkPage = (page: string): Promise<Walk> => {
  const steps = readSteps(readFileSync(path.join(projectRoot(), page), 'utf8'));
  expect(steps.length, `commands of ${page}`).toBeGreaterThan(0);
  return walk(steps, { cwd: projectRoot(), env, onStep: () => undefined, onOutput: () => undefined });
};

/** A page starts some twenty programs, one after the other. */
const timeout = 5 * PATIENCE_MS;

it('every command of docs/quickstart.md works as it stands, and prints what the page shows', { timeout }, async () => {
  stack = await walkPage('docs/quickstart.md');
  expect(stack.findings).toEqual([]);
});

const COOKBOOK = readdirSync(path.join(projectRoot(), 'docs', 'cookbook')).filter((name) => name !== 'README.md');

it.each(COOKBOOK)('and of docs/cookbook/%s', { timeout }, async (name) => {
  expect((await walkPage(`docs/cookbook/${name}`)).findings).toEqual([]);
});
