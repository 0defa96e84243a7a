import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '../harness/patience.ts';
import { type InstalledPackages, installPackages } from './packages.ts';
import { pythonOrNote } from './python/environment.ts';
import { browserSuite } from './stack/browser-suite.ts';
import { cliEffectsSuite } from './stack/cli-effects-suite.ts';
import { cliSuite } from './stack/cli-suite.ts';
import { oauthSuite } from './stack/oauth-suite.ts';
import { pythonSuite } from './stack/python-suite.ts';
import { vercelQuickStartSuite } from './stack/quickstarts-suite.ts';
import { type SharedStack, startSharedStack, structuredIn } from './stack/shared-stack.ts';
import { typescriptSuite } from './stack/typescript-suite.ts';

/**
 * What agents do against `npm start`, on one stack: the commands of the README, of docs/mcp.md and of docs/oauth.md; both SDKs and the command
 * line, as packages that a user has installed; the quick starts. The README's commands start the stack.
 */

/** Installing may come first. */
const timeout = 3 * PATIENCE_MS;

const python = await pythonOrNote('the Python SDK, the quick starts in Python, and the command line on a terminal');

let stack: SharedStack;
let installed: InstalledPackages;
const theStack = (): SharedStack => stack;
const thePackages = (): InstalledPackages => installed;

beforeAll(async () => {
  stack = await startSharedStack();
  const folder = path.join(stack.folder, 'installed');
  mkdirSync(folder);
  installed = await installPackages(folder);
}, timeout);
afterAll(async () => {
  await stack?.end();
});

it('three commands of the README are an agent that invokes a governed action over MCP', () => {
  expect(stack.readme.findings).toEqual([]);
  expect(structuredIn(stack.readme.printed.at(-1))).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
});

typescriptSuite(theStack, thePackages);
browserSuite(theStack, thePackages);
oauthSuite(theStack);
pythonSuite(theStack, python);
vercelQuickStartSuite(theStack);
cliSuite(theStack, thePackages, () => python?.python ?? null);
cliEffectsSuite(theStack, thePackages);

// The last one: while it runs, its policy asks a person about every greeting.
it('the commands of docs/mcp.md park an invocation, decide it, and get its receipt', { timeout }, async () => {
  const { printed } = await stack.walkPage('docs/mcp.md');
  const records = printed.map(structuredIn).filter((record) => record !== undefined);
  expect(records).toMatchObject([{ status: 'succeeded' }, { status: 'pending_approval' }, { status: 'succeeded' }]);
});
