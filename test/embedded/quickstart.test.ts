import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectRoot } from '../../process/project-root.ts';
import { readSteps } from '../../embedded/walkthrough/page.ts';
import { Shell } from '../../embedded/walkthrough/shell.ts';
import { walk, type Walk } from '../../embedded/walkthrough/walk.ts';
import { freePorts } from '../harness/embedded-stack.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { HAS_PIP } from '../harness/pip.ts';

/** The quick start begins a stack, and the other pages go on with it, as a reader would. */
const parent = mkdtempSync(path.join(tmpdir(), 'quickstart-'));
let stack: Walk | null = null;

chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
const { PATH = '', HOME = '' } = process.env;
const env: NodeJS.ProcessEnv = { PATH, HOME, DATA_DIR: path.join(parent, 'data'), ...(await freePorts()) };
afterAll(async () => {
  await stack?.end();
  rmSync(parent, { recursive: true, force: true });
});

const stepsOf = (page: string) => readSteps(readFileSync(path.join(projectRoot(), page), 'utf8'));

const walkPage = (page: string): Promise<Walk> => {
  const steps = stepsOf(page);
  expect(steps.length, `commands of ${page}`).toBeGreaterThan(0);
  return walk(steps, { cwd: projectRoot(), env, onStep: () => undefined, onOutput: () => undefined });
};

/** A page starts some twenty programs, one after the other. */
const timeout = 5 * PATIENCE_MS;

it('every command of docs/quickstart.md works as it stands, and prints what the page shows', { timeout }, async () => {
  stack = await walkPage('docs/quickstart.md');
  expect(stack.findings).toEqual([]);
});

const AGENT_STATE = 'docs/quickstart-agent-state.md';

it.skipIf(!HAS_PIP)(
  `and of ${AGENT_STATE} (skipped only where python3 has no pip, which fetches the local model)`,
  { timeout },
  async () => {
    expect((await walkPage(AGENT_STATE)).findings).toEqual([]);
  },
);

/** What a command of a page calls: `api POST /sessions …`, or curl with the whole address. */
function callsOf(command: string): { method: string; path: string }[] {
  const byFunction = [...command.matchAll(/\bapi ([A-Z]+) "?(\/[\w$./-]*)/g)].map(([, method = '', to = '']) => {
    return { method, path: to };
  });
  const byCurl = [...command.matchAll(/curl -sS(?: -X ([A-Z]+))? "?\$BASE\/api\/v2(\/[\w$./-]*)((?:\\\n|.)*)/g)].map(
    ([, method, to = '', rest = '']) => ({ method: method ?? (/ -[dF] /.test(rest) ? 'POST' : 'GET'), path: to }),
  );
  return [...byFunction, ...byCurl];
}

it('the two pages call every operation of what an agent remembers', () => {
  const document = JSON.parse(readFileSync(path.join(projectRoot(), 'docs', 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const areas = new Set(['sessions', 'context', 'runs', 'memory', 'cache', 'files']);
  const calls = ['docs/quickstart.md', AGENT_STATE].flatMap(stepsOf).flatMap(({ command }) => callsOf(command));
  const isCalled = (method: string, template: string): boolean => {
    const wanted = new RegExp(`^${template.replace('/api/v2', '').replaceAll(/\{\w+\}/g, '\\$[A-Z]+')}$`);
    return calls.some((call) => call.method === method.toUpperCase() && wanted.test(call.path));
  };
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, tags }]) =>
      tags.some((tag) => areas.has(tag)) ? [{ operationId, isInTour: isCalled(method, template) }] : [],
    ),
  );
  expect(operations.length).toBeGreaterThan(40);
  expect(operations.filter(({ isInTour }) => !isInTour)).toEqual([]);
});

/** The only `sh` block of memory.md that a started stack takes is its first. */
const examplesOf = (page: string): string[] => {
  const blocks = readFileSync(path.join(projectRoot(), 'docs', `${page}.md`), 'utf8').matchAll(
    /^```sh\n([\s\S]*?)^```$/gm,
  );
  const commands = [...blocks].map(([, command = '']) => command.trimEnd());
  return page === 'memory' ? commands.slice(0, 1) : commands;
};

const COOKBOOK = readdirSync(path.join(projectRoot(), 'docs', 'cookbook')).filter((name) => name !== 'README.md');

it.each(COOKBOOK)('and of docs/cookbook/%s', { timeout }, async (name) => {
  expect((await walkPage(`docs/cookbook/${name}`)).findings).toEqual([]);
});

/**
 * Pages whose examples go on from the quick start, in the order of a shell that plays them all. The examples of the others need what
 * their reader has alone, such as a chat, a description of Resend or a dead letter.
 */
const STATE = ['sessions', 'context', 'runs', 'cache', 'files', ...(HAS_PIP ? ['memory'] : [])];
const DELIVERY = ['messages', 'url-groups', 'flow-control', 'schedules', 'events', 'notifications'];
const PAGES = [...STATE, ...DELIVERY, 'secrets', 'impact-limits', 'tool-export', 'invocations', 'receipts', 'budgets'];

it('no example of the other pages is refused', { timeout }, async () => {
  const shell = new Shell({ cwd: projectRoot(), env });
  const refused: string[] = [];
  const play = async (page: string): Promise<void> => {
    await shell.run(`cd ${projectRoot()}`);
    for (const command of examplesOf(page)) {
      const printed = await shell.run(command);
      if (printed.includes('"success":false')) refused.push(`${page}.md: ${command}\n${printed}`);
    }
  };
  try {
    await shell.run('eval "$(npm run --silent env)"');
    for (const page of PAGES) await play(page);
    await shell.run(`cd ${projectRoot()} && eval "$(npm run --silent env -- production)"`);
    for (const page of ['previews', 'approvals']) await play(page);
    expect(refused).toEqual([]);
  } finally {
    await shell.end();
  }
});
