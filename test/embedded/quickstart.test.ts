import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectRoot } from '../../embedded/project-root.ts';
import { readSteps } from '../../embedded/walkthrough/page.ts';
import { walk, type Walk } from '../../embedded/walkthrough/walk.ts';
import { freePorts } from '../harness/embedded-stack.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'quickstart-'));
let walked: Walk | null = null;

afterAll(async () => {
  await walked?.end();
  rmSync(parent, { recursive: true, force: true });
});

it('every command of docs/quickstart.md works as it stands, and prints what the page shows', async () => {
  chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
  const { PATH = '', HOME = '' } = process.env;
  const steps = readSteps(readFileSync(path.join(projectRoot(), 'docs', 'quickstart.md'), 'utf8'));
  walked = await walk(steps, {
    cwd: projectRoot(),
    env: { PATH, HOME, DATA_DIR: path.join(parent, 'data'), ...(await freePorts()) },
    onStep: () => undefined,
    onOutput: () => undefined,
  });
  expect(walked.findings).toEqual([]);
});
