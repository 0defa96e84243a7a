import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keyOf, type Credentials } from '../../embedded/credentials.ts';
import { callJson } from '../../embedded/http-json.ts';
import { projectRoot } from '../../embedded/project-root.ts';
import { readSteps, type Step } from '../../embedded/walkthrough/page.ts';
import { walk, type Walk } from '../../embedded/walkthrough/walk.ts';
import { freePorts, readCredentials } from '../harness/embedded-stack.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { FAKE_MODEL_KEY, startFakeModels } from '../quickstarts/fake-models.ts';
import { installVercel } from '../quickstarts/install-vercel.ts';
import { installedBy, readQuickStart } from '../quickstarts/page.ts';
import { buildWheel, freshEnvironment, pythonOrNote, REQUIREMENTS, runPython } from './python/environment.ts';
import { packageSuite, type InstalledPackage } from './python/package-suite.ts';
import { playByPython } from './python/scenario.ts';
import { readVectors } from './vectors.ts';

/**
 * What agents do against `npm start`, on one stack: the commands of the README and of docs/mcp.md, the Python SDK with the shared scenario, and
 * the quick starts. The README's commands start it.
 */

const run = promisify(execFile);
const ROOT = projectRoot();
const SCENARIO = path.join(ROOT, 'sdk', 'scenario.json');
/** Installing may come first. */
const timeout = 3 * PATIENCE_MS;

const python = await pythonOrNote('the Python SDK, and the quick starts in Python');

const parent = mkdtempSync(path.join(tmpdir(), 'sdk-stack-'));
let env: NodeJS.ProcessEnv;
let stack: Walk | null = null;
let credentials: Credentials;

/** Plays the commands of a page as they stand, and answers what each printed. */
async function walkPage(page: string, isWanted: (step: Step) => boolean): Promise<{ walked: Walk; printed: string[] }> {
  const steps = readSteps(readFileSync(path.join(ROOT, page), 'utf8')).filter(isWanted);
  expect(steps.length, `commands of ${page}`).toBeGreaterThan(0);
  const printed: string[] = [];
  const onOutput = (_step: Step, output: string): void => void printed.push(output);
  return { walked: await walk(steps, { cwd: ROOT, env, onStep: () => undefined, onOutput }), printed };
}

/** The record that a tool of MCP answered, out of the event that `curl` printed. */
function structured(printed: string | undefined): unknown {
  const data = /^data: (\{.*\})$/m.exec(printed ?? '')?.[1] ?? '{}';
  return (JSON.parse(data) as { result?: { structuredContent?: unknown } }).result?.structuredContent;
}

/** The operator, who agrees to whatever waits. */
async function approveNext(action: string): Promise<void> {
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
  const decided = await callJson(url, {
    method: 'POST',
    headers: operator,
    body: { bindingDigest: waiting.bindingDigest },
  });
  expect(decided.status).toBe(200);
}

async function invocationOf(id: string | undefined): Promise<unknown> {
  const headers = { authorization: `Bearer ${keyOf(credentials, 'development', 'agent')}` };
  const url = `${credentials.baseUrl}/api/v2/actions/invocations/${id}`;
  return ((await callJson(url, { method: 'GET', headers })).body as { data: unknown }).data;
}

/** What the commands of the README printed, and how they depart from the page. */
let readme: { printed: string[]; findings: string[] };

beforeAll(async () => {
  chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
  const { PATH = '', HOME = '' } = process.env;
  env = { PATH, HOME, DATA_DIR: path.join(parent, 'data'), ...(await freePorts()) };
  const { walked, printed } = await walkPage('README.md', ({ command }) => command !== 'npm test');
  stack = walked;
  readme = { printed, findings: walked.findings };
  credentials = readCredentials(path.join(parent, 'data'));
}, timeout);
afterAll(async () => {
  await stack?.end();
  rmSync(parent, { recursive: true, force: true });
});

it('three commands of the README are an agent that invokes a governed action over MCP', () => {
  expect(readme.findings).toEqual([]);
  expect(structured(readme.printed.at(-1))).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
});

describe.skipIf(python === null)('in Python', () => {
  let installed: InstalledPackage;
  /** The folder of the SDK, for the environment that has everything else. */
  let site: string;

  beforeAll(async () => {
    if (python === null) throw new Error('these tests are left out without Python');
    const wheel = await buildWheel(python, parent);
    installed = { cache: python, wheel, python: await freshEnvironment(python, wheel, parent), folder: parent };
    const file = await runPython(installed.python, ['-c', 'import agent_action_runtime as sdk; print(sdk.__file__)']);
    site = path.dirname(path.dirname(file.trim()));
  }, timeout);

  packageSuite(() => installed);

  it('the SDK plays the scenario', { timeout }, async () => {
    const { steps } = JSON.parse(readFileSync(SCENARIO, 'utf8')) as { steps: { name: string }[] };
    const played = await playByPython(installed.python, SCENARIO, credentials);
    expect(played.filter(([, problem]) => problem !== null)).toEqual([]);
    expect(played.map(([name]) => name)).toEqual(steps.map(({ name }) => name));
  });

  it('and is stopped by a scenario that takes a fault for granted', { timeout }, async () => {
    const [delivery] = readVectors('deliveries').deliveries;
    const broken = readVectors('receipts').receipts.find(({ expect: { brokenAt } }) => brokenAt?.problem === 'content');
    const { headers, secret, environmentId } = delivery ?? {};
    const faults: [step: object, says: string][] = [
      [{ as: 'agent', do: 'requireScopes', with: { required: ['approvals:decide'] } }, 'it lacks approvals:decide'],
      [{ do: 'verifyReceipt', with: { effect: broken?.effect }, expect: { valid: true } }, 'the result.valid is False'],
      [{ do: 'verifyDelivery', with: { headers, secret, environmentId, body: 'another' } }, 'timestamp_too_old'],
      [{ as: 'agent', do: 'requireScopes', with: { required: [] }, fails: { type: 'E' } }, 'it did not fail'],
    ];
    const problems = await Promise.all(
      faults.map(async ([step], index) => {
        const file = path.join(parent, `fault-${index}.json`);
        writeFileSync(file, JSON.stringify({ steps: [{ name: 'fault', ...step }] }));
        const [[, problem] = []] = await playByPython(installed.python, file, credentials);
        return problem;
      }),
    );
    expect(problems).toEqual(faults.map(([, says]) => expect.stringContaining(says)));
  });

  it('the first block of the SDK’s README runs as it stands', { timeout }, async () => {
    const readme = readFileSync(path.join(ROOT, 'sdk', 'python', 'README.md'), 'utf8');
    const block = /```python\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const variables = { BASE_URL: credentials.baseUrl, API_KEY: keyOf(credentials, 'development', 'agent') };
    expect(await runPython(installed.python, ['-c', block], { env: variables })).toBe('succeeded acknowledged\n');
  });

  /** Runs a page as a reader would, the model's API being ours. */
  async function runQuickStart(name: string, meanwhile: () => Promise<void>): Promise<string> {
    const page = readQuickStart(name);
    const pinned = readFileSync(REQUIREMENTS, 'utf8');
    const others = installedBy(page).filter((requirement) => requirement !== './sdk/python');
    expect(others.filter((requirement) => !pinned.includes(`\n${requirement} \\`))).toEqual([]);
    const folder = path.join(parent, name);
    mkdirSync(folder);
    writeFileSync(path.join(folder, page.file), page.program);
    for (const command of page.commands.filter((each) => each.startsWith('curl'))) {
      const variables = { BASE: credentials.baseUrl, OPERATOR: keyOf(credentials, 'development', 'full_access') };
      await run('bash', ['-c', command], { env: { ...process.env, ...variables } });
    }
    const models = await startFakeModels();
    try {
      const variables = {
        BASE_URL: credentials.baseUrl,
        API_KEY: keyOf(credentials, 'development', 'agent'),
        OPENAI_BASE_URL: `${models.baseUrl}/v1`,
        OPENAI_API_KEY: FAKE_MODEL_KEY,
        ANTHROPIC_BASE_URL: models.baseUrl,
        ANTHROPIC_API_KEY: FAKE_MODEL_KEY,
        PYTHONPATH: site,
      };
      const [printed] = await Promise.all([
        runPython(installed.cache.python, [page.file], { cwd: folder, env: variables }),
        meanwhile(),
      ]);
      return printed;
    } finally {
      await models.stop();
    }
  }
  const nobody = (): Promise<void> => Promise.resolve();

  it.each(['openai', 'anthropic'])(
    'docs/quickstarts, %s: the loop hands on what is refused, and ends',
    { timeout },
    async (name) => {
      const printed = await runQuickStart(name, nobody);
      expect(printed).toMatch(/^It succeeded \(acknowledged\): inv_\w{22}\.\n$/);
      const invocation = await invocationOf(/inv_\w+/.exec(printed)?.[0]);
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
    { timeout },
    async () => {
      const printed = await runQuickStart('mcp-client', () => approveNext('demo.echo_verified'));
      expect(printed).toMatch(/^tools: .*\binvoke_action\b.*\n/);
      expect(printed).toMatch(/^actions: .*demo\.echo/m);
      expect(printed).toMatch(/^PENDING_APPROVAL .*\/approvals\/apr_\w{22}/m);
      expect(printed).toMatch(/^receipt: confirmed eff_\w{22}\n$/m);
    },
  );

  it('docs/quickstarts/langgraph.md: the graph pauses until a person has agreed', { timeout }, async () => {
    const printed = await runQuickStart('langgraph', () => approveNext('demo.echo_verified'));
    expect(printed).toMatch(/^Ask a person to decide approval apr_/);
    expect(printed).toMatch(/^It succeeded \(confirmed\): inv_\w{22}\.\n$/m);
  });
});

it('docs/quickstarts/vercel-ai-sdk.md: generateText finds, invokes and tells', { timeout }, async () => {
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
    const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      'node',
    ];
    await run(process.execPath, [compiler, ...options, path.join(here, page.file)], { cwd: here });
    const { PATH = '', HOME = '' } = process.env;
    const variables = {
      BASE_URL: credentials.baseUrl,
      API_KEY: keyOf(credentials, 'development', 'agent'),
      OPENAI_BASE_URL: `${models.baseUrl}/v1`,
      OPENAI_API_KEY: FAKE_MODEL_KEY,
    };
    const { stdout } = await run(process.execPath, [program], { env: { PATH, HOME, ...variables } });
    expect(stdout).toMatch(/^It succeeded \(acknowledged\): inv_\w{22}\.\n$/);
    expect(await invocationOf(/inv_\w+/.exec(stdout)?.[0])).toMatchObject({
      action: { name: 'demo.echo' },
      status: 'succeeded',
    });
  } finally {
    await models.stop();
    rmSync(here, { recursive: true, force: true });
  }
});

// The last one: its policy asks a person about every greeting.
it('the commands of docs/mcp.md park an invocation, decide it, and get its receipt', { timeout }, async () => {
  const { printed } = await walkPage('docs/mcp.md', ({ command }) => command !== 'npm start');
  const records = printed.map(structured).filter((record) => record !== undefined);
  expect(records).toMatchObject([{ status: 'succeeded' }, { status: 'pending_approval' }, { status: 'succeeded' }]);
});
