import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { keyOf } from '../../../embedded/credentials.ts';
import { callJson } from '../../../embedded/http-json.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { Shell } from '../../../embedded/walkthrough/shell.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { FAKE_MODEL_KEY, startFakeModels } from '../../quickstarts/fake-models.ts';
import { installVercel } from '../../quickstarts/install-vercel.ts';
import { installedBy, readQuickStart } from '../../quickstarts/page.ts';
import { REQUIREMENTS, runPython } from '../python/environment.ts';
import type { SharedStack } from './shared-stack.ts';

const run = promisify(execFile);
/** Installing may come first. */
const timeout = 3 * PATIENCE_MS;

/** An interpreter that has what the pages install. */
export interface QuickStartPython {
  python: string;
  /** The folder of the SDK that was built. */
  site: string;
}

/** The pages of docs/quickstarts in Python, as a reader would run them, the model's API being ours. */
export function pythonQuickStartsSuite(stack: () => SharedStack, interpreter: () => QuickStartPython): void {
  async function runQuickStart(name: string, meanwhile: () => Promise<void>): Promise<string> {
    const { credentials, folder: parent } = stack();
    const page = readQuickStart(name);
    const pinned = readFileSync(REQUIREMENTS, 'utf8');
    const others = installedBy(page).filter((requirement) => requirement !== '$CLONE/sdk/python');
    expect(others.filter((requirement) => !pinned.includes(`\n${requirement} \\`))).toEqual([]);
    const folder = path.join(parent, name);
    mkdirSync(folder);
    writeFileSync(path.join(folder, page.file), page.program);
    const variables = { BASE: credentials.baseUrl, OPERATOR: keyOf(credentials, 'development', 'full_access') };
    const shell = new Shell({ cwd: folder, env: { ...process.env, ...variables } });
    const models = await startFakeModels();
    let printed = '';
    const replies: string[] = [];
    try {
      const { python, site } = interpreter();
      const env = { ...variablesOf(stack(), models.baseUrl), PYTHONPATH: site };
      for (const command of page.commands) {
        if (command === `python ${page.file}`) {
          [printed] = await Promise.all([runPython(python, [page.file], { cwd: folder, env }), meanwhile()]);
        } else if (command.includes('curl ')) {
          replies.push(await shell.run(command));
        }
      }
      expect(replies.filter((reply) => reply.includes('"success":false'))).toEqual([]);
      return printed;
    } finally {
      await models.stop();
      await shell.end();
    }
  }
  const nobody = (): Promise<void> => Promise.resolve();
  const approver = (): Promise<void> => approveNext(stack(), 'demo.echo_verified');

  it.each(['openai', 'anthropic'])(
    'docs/quickstarts, %s: the loop hands on what is refused, and ends',
    { timeout },
    async (name) => {
      const printed = await runQuickStart(name, nobody);
      expect(printed).toMatch(/^It succeeded \(acknowledged\): inv_\w{22}\.\n$/);
      const invocation = await invocationOf(stack(), /inv_\w+/.exec(printed)?.[0]);
      // The second call of the model, after the one whose arguments were refused.
      expect(invocation).toMatchObject({
        status: 'succeeded',
        action: { name: 'demo.echo' },
        operationKey: expect.stringMatching(/^call_1_/),
      });
    },
  );

  it(
    'docs/quickstarts/mcp-client.md: lists, calls, parks, is decided elsewhere, gets the receipt',
    {
      timeout,
    },
    async () => {
      const printed = await runQuickStart('mcp-client', approver);
      expect(printed).toMatch(/^tools: .*\binvoke_action\b.*\n/);
      expect(printed).toMatch(/^actions: .*demo\.echo/m);
      expect(printed).toMatch(/^PENDING_APPROVAL .*\/approvals\/apr_\w{22}/m);
      expect(printed).toMatch(/^receipt: confirmed eff_\w{22}\n$/m);
    },
  );

  it('docs/quickstarts/langgraph.md: the graph pauses until a person has agreed', { timeout }, async () => {
    const printed = await runQuickStart('langgraph', approver);
    expect(printed).toMatch(/^Ask a person to decide approval apr_/);
    expect(printed).toMatch(/^It succeeded \(confirmed\): inv_\w{22}\.\n$/m);
  });
}

/** docs/quickstarts/vercel-ai-sdk.md, with what it installs. */
export function vercelQuickStartSuite(stack: () => SharedStack): void {
  describe('docs/quickstarts/vercel-ai-sdk.md', () => {
    it('generateText finds, invokes and tells', { timeout }, async () => {
      const page = readQuickStart('vercel-ai-sdk');
      const folder = await installVercel();
      const { dependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
        dependencies: object;
      };
      const pinned = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
      expect(installedBy(page).toSorted()).toEqual(pinned.toSorted());
      const here = mkdtempSync(path.join(folder, 'run-'));
      writeFileSync(path.join(here, page.file), page.program);
      // Without types it is a program for every release of Node.js.
      const program = path.join(here, 'agent.mjs');
      writeFileSync(program, page.program);
      const models = await startFakeModels();
      try {
        const compiler = path.join(projectRoot(), 'node_modules', 'typescript', 'bin', 'tsc');
        const options = '--ignoreConfig --strict --noEmit --skipLibCheck --module nodenext --types node'.split(' ');
        await run(process.execPath, [compiler, ...options, path.join(here, page.file)], { cwd: here });
        const { PATH = '', HOME = '' } = process.env;
        const env = { PATH, HOME, ...variablesOf(stack(), models.baseUrl) };
        const { stdout } = await run(process.execPath, [program], { env });
        expect(stdout).toMatch(/^It succeeded \(acknowledged\): inv_\w{22}\.\n$/);
        expect(await invocationOf(stack(), /inv_\w+/.exec(stdout)?.[0])).toMatchObject({
          action: { name: 'demo.echo' },
          status: 'succeeded',
        });
      } finally {
        await models.stop();
        rmSync(here, { recursive: true, force: true });
      }
    });
  });
}

/** What the pages set: the agent's key, and where the model is. */
function variablesOf({ credentials }: SharedStack, modelsUrl: string): Record<string, string> {
  return {
    BASE_URL: credentials.baseUrl,
    API_KEY: keyOf(credentials, 'development', 'agent'),
    OPENAI_BASE_URL: `${modelsUrl}/v1`,
    OPENAI_API_KEY: FAKE_MODEL_KEY,
    ANTHROPIC_BASE_URL: modelsUrl,
    ANTHROPIC_API_KEY: FAKE_MODEL_KEY,
  };
}

/** The operator, who agrees to whatever waits. */
async function approveNext({ credentials }: SharedStack, action: string): Promise<void> {
  const operator = { authorization: `Bearer ${keyOf(credentials, 'development', 'full_access')}` };
  const { baseUrl } = credentials;
  type Waiting = { data: { id: string; bindingDigest: string; action: { name: string } }[] };
  const waiting = await vi.waitUntil(
    async () => {
      const reply = await callJson(`${baseUrl}/api/v2/approvals?status=pending`, { method: 'GET', headers: operator });
      return (reply.body as Waiting).data.find((approval) => approval.action.name === action);
    },
    { timeout: PATIENCE_MS, interval: 200 },
  );
  const url = `${baseUrl}/api/v2/approvals/${waiting.id}/approve`;
  const body = { bindingDigest: waiting.bindingDigest };
  const decided = await callJson(url, { method: 'POST', headers: operator, body });
  expect(decided.status).toBe(200);
}

async function invocationOf({ credentials }: SharedStack, id: string | undefined): Promise<unknown> {
  const headers = { authorization: `Bearer ${keyOf(credentials, 'development', 'agent')}` };
  const url = `${credentials.baseUrl}/api/v2/actions/invocations/${id}`;
  return ((await callJson(url, { method: 'GET', headers })).body as { data: unknown }).data;
}
