import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, type Credentials } from '../../embedded/credentials.ts';
import { projectRoot } from '../../embedded/project-root.ts';
import { freePorts, readCredentials, startStackProcess, type Program } from '../harness/embedded-stack.ts';
import { firstBlock, installPackages, run, type Ended } from './packages.ts';
import { readVectors } from './vectors.ts';

/** The packages of sdk/ as a user has them: packed, installed into an empty folder, and talking to `npm start`. One stack for all. */

const root = projectRoot();
const parent = mkdtempSync(path.join(tmpdir(), 'sdk-'));
const folder = path.join(parent, 'installed');
const dataDir = path.join(parent, 'data');
const home = path.join(parent, 'home');
const credentialsFile = path.join(dataDir, 'credentials.json');
let program: Program;
let credentials: Credentials;
let files: Record<string, string[]>;

beforeAll(async () => {
  chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
  mkdirSync(folder);
  mkdirSync(home);
  program = await startStackProcess(dataDir, await freePorts());
  credentials = readCredentials(dataDir);
  files = await installPackages(folder);
});
afterAll(async () => {
  await program?.end('SIGTERM');
  rmSync(parent, { recursive: true, force: true });
});

const LARGE_MESSAGES = `
schema: approval-policy/v1
name: large messages
rules:
  - { id: large, match: { actions: [demo.echo] }, when: input.message == "large", effect: require_approval }
`;

describe('the packages', () => {
  it('hold what was compiled, and nothing else', () => {
    for (const name of ['agent-action-runtime-sdk', 'agent-action-runtime-cli']) {
      const others = files[name]?.filter((file) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(file));
      expect(others, name).toEqual(['LICENSE', 'README.md', 'package.json']);
    }
  });

  it('of the SDK: browsers have everything that it imports', () => {
    const installed = path.join(folder, 'node_modules', 'agent-action-runtime-sdk');
    const scripts = files['agent-action-runtime-sdk']?.filter((file) => file.endsWith('.js')) ?? [];
    const imported = scripts.flatMap((file) => {
      const text = readFileSync(path.join(installed, file), 'utf8');
      return [
        ...text.matchAll(/^(?:import|export)\b(?:[^'"]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)/gm),
      ].map((match) => match[1] ?? match[2] ?? '');
    });
    expect(scripts.length).toBeGreaterThan(10);
    expect([...new Set(imported.filter((specifier) => !specifier.startsWith('.')))]).toEqual(['openapi-fetch']);
  });
});

const playing = (scenario: object): Promise<Ended> => {
  const file = path.join(folder, 'scenario.json');
  writeFileSync(file, JSON.stringify(scenario));
  return run(process.execPath, ['run-scenario.mjs', file, credentialsFile], { cwd: folder });
};

describe('the SDK', () => {
  it('runs the first code of its README as it stands', async () => {
    const page = readFileSync(path.join(root, 'sdk', 'typescript', 'README.md'), 'utf8');
    writeFileSync(path.join(folder, 'first.mjs'), firstBlock(page, 'js'));
    const env = { BASE_URL: credentials.baseUrl, API_KEY: keyOf(credentials, 'development', 'agent') };
    expect(await run(process.execPath, ['first.mjs'], { cwd: folder, env })).toEqual({
      code: 0,
      output: 'succeeded acknowledged\n',
      errors: '',
    });
    const keyless = await run(process.execPath, ['first.mjs'], { cwd: folder, env: { BASE_URL: env.BASE_URL } });
    expect([keyless.code, keyless.errors]).toEqual([1, expect.stringContaining('set API_KEY')]);
  });

  it('plays the scenario', async () => {
    const scenario = JSON.parse(readFileSync(path.join(root, 'sdk', 'scenario.json'), 'utf8')) as { steps: unknown[] };
    expect(await playing(scenario)).toEqual({ code: 0, output: `${scenario.steps.length} steps\n`, errors: '' });
  });

  const [delivery] = readVectors('deliveries').deliveries;
  const broken = readVectors('receipts').receipts.find(({ expect: { brokenAt } }) => brokenAt?.problem === 'content');
  const verify = { headers: delivery?.headers, secret: delivery?.secret, environmentId: delivery?.environmentId };
  it.each([
    [
      'a missing scope',
      { as: 'agent', do: 'requireScopes', with: { required: ['approvals:decide'] } },
      'Missing: approvals:decide',
    ],
    [
      'a broken chain',
      { do: 'verifyReceipt', with: { effect: broken?.effect }, expect: { valid: true } },
      'the result.valid is false',
    ],
    ['a tampered delivery', { do: 'verifyDelivery', with: { ...verify, body: 'another' } }, 'signed'],
    [
      'a fault that does not happen',
      { as: 'agent', do: 'requireScopes', with: { required: [] }, fails: { type: 'E' } },
      'it did not fail',
    ],
  ])('and fails a scenario that takes %s for granted', async (name, step, says) => {
    const { code, errors } = await playing({ steps: [{ name, ...step }] });
    expect([code, errors]).toEqual([1, expect.stringContaining(`step 1, “${name}”: `)]);
    expect(errors).toContain(says);
  });
});

describe('the command line', () => {
  const all: Ended[] = [];
  /** By the name that npm gives it, as its user; no variable says where the service is. */
  const cli = async (...args: string[]): Promise<Ended> => {
    const command = path.join(folder, 'node_modules', '.bin', 'agent-actions');
    const ended = await run(command, args, { cwd: folder, env: { HOME: home } });
    all.push(ended);
    return ended;
  };
  const json = async (...args: string[]): Promise<{ code: number; value: Record<string, unknown> }> => {
    const { code, output, errors } = await cli(...args, '--json');
    return { code, value: JSON.parse(output === '' ? errors : output) as Record<string, unknown> };
  };
  const stored = path.join(home, '.config', 'agent-action-runtime', 'credentials.json');

  it('asks for a login first, and says how', async () => {
    const { code, errors } = await cli('actions', 'list');
    expect([code, errors]).toEqual([2, expect.stringContaining('agent-actions login')]);
  });

  it('logs in with a stack’s key, and keeps it for its owner alone', async () => {
    const { code, output } = await cli('login', '--stack', credentialsFile);
    expect([code, output]).toEqual([0, expect.stringContaining('Next: agent-actions actions list')]);
    await cli('login', '--stack', credentialsFile, '--key-name', 'agent', '--profile', 'agent');
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(stored)).mode & 0o777).toBe(0o700);
  });

  it('refuses a file that others can read, and an address that the key is not for', async () => {
    chmodSync(stored, 0o644);
    expect(await cli('actions', 'list')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('chmod 600') as string,
    });
    chmodSync(stored, 0o600);
    const elsewhere = await cli('actions', 'list', '--base-url', 'http://127.0.0.1:9');
    expect(elsewhere).toMatchObject({ code: 2, errors: expect.stringContaining('The stored key is for') as string });
  });

  it('lists actions, invokes one, and shows its receipt with the chain', async () => {
    const listed = await cli('actions', 'list');
    expect(listed).toMatchObject({ code: 0, output: expect.stringMatching(/^demo\.echo +governed/m) as string });
    const { code, value } = await json('invoke', 'demo.echo', '--input', '{"message":"hello"}');
    expect([code, value['status']]).toEqual([0, 'succeeded']);
    const receipt = await cli('effects', 'show', String(value['effectId']));
    expect(receipt).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^chain +whole: \d+ entries, head sha256:/m) as string,
    });
    const logs = await cli('logs', '--limit', '1');
    expect(logs.output).toContain(String(value['id']));
  });

  it('parks what needs a person; approves the digest that was read, and nothing else', async () => {
    const policies = path.join(parent, 'policies');
    mkdirSync(policies);
    writeFileSync(path.join(policies, 'large.yaml'), LARGE_MESSAGES);
    expect(await cli('policies', 'apply', policies)).toMatchObject({ code: 0 });
    const invoke = ['invoke', 'demo.echo', '--input', '{"message":"large"}', '--wait', '0', '--profile', 'agent'];
    const parked = await json(...invoke);
    expect([parked.code, parked.value['status']]).toEqual([3, 'pending_approval']);
    const id = String(parked.value['approvalId']);

    const watched = await cli('approvals', 'watch', '--once');
    const digest = /^digest +(sha256:\w{64})$/m.exec(watched.output)?.[1] ?? '';
    expect(watched.output).toContain(`Next: agent-actions approvals approve ${id}`);
    expect(watched.output).toContain('"method": "POST"');
    const unread = await cli('approvals', 'approve', id);
    expect(unread).toMatchObject({ code: 2, errors: expect.stringContaining(`--digest ${digest}`) as string });
    const wrong = await json('approvals', 'approve', id, '--digest', digest.replace(/\w{4}$/, 'ffff'));
    expect(wrong).toMatchObject({ code: 1, value: { error: { code: 'CONFLICT' } } });
    const agreed = await cli('approvals', 'approve', id, '--digest', digest);
    expect(agreed).toMatchObject({ code: 0, output: expect.stringContaining('1 of 1 agreed') as string });
    const ended = await json('logs', '--invocation', String(parked.value['id']), '--wait', '60', '--profile', 'agent');
    expect([ended.code, ended.value['status']]).toEqual([0, 'succeeded']);
  });

  it('says what to do where the service refuses, and where nobody answers', async () => {
    const unknown = await json('invoke', 'demo.nothing');
    expect(unknown).toMatchObject({
      code: 1,
      value: { error: { type: 'NotFoundError', code: 'NOT_FOUND' }, exitCode: 1 },
    });
    const env = { HOME: home, BASE_URL: 'http://127.0.0.1:9', API_KEY: keyOf(credentials, 'development', 'agent') };
    const command = path.join(folder, 'node_modules', '.bin', 'agent-actions');
    const silent = await run(command, ['invoke', 'demo.echo'], { cwd: folder, env });
    all.push(silent);
    expect(silent).toMatchObject({
      code: 5,
      errors: expect.stringMatching(/Next: .*--idempotency-key [0-9a-f]{32}/) as string,
    });
  });

  it('is `npm run policies` in this repository', async () => {
    const policies = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
      run(process.execPath, ['embedded/run.mjs', 'embedded/commands/policies.js', ...args], { cwd: root, env });
    const examples = path.join('docs', 'examples', 'approval-policies');
    const planned = await policies({ DATA_DIR: dataDir }, 'plan', examples, '--check');
    expect(planned).toMatchObject({ code: 1, output: expect.stringContaining('2 to create.') as string });
    const key = keyOf(credentials, 'development', 'full_access');
    const tested = await policies({ API_URL: credentials.baseUrl, API_KEY: key }, 'test', examples);
    expect(tested).toMatchObject({ code: 0, output: expect.stringContaining('4 passed, 0 failed.') as string });
    const keyless = await policies({ API_URL: credentials.baseUrl }, 'plan', examples);
    expect(keyless).toMatchObject({ code: 1, errors: expect.stringContaining('API_KEY is not set') as string });
    all.push(planned, tested, keyless);
  });

  it('never printed a key', () => {
    const printed = all.map(({ output, errors }) => output + errors).join('\n');
    expect(all.length).toBeGreaterThan(15);
    for (const { key } of credentials.keys) expect(printed).not.toContain(key);
  });
});
