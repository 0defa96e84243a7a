import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../../embedded/credentials.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { Program } from '../../harness/embedded-stack.ts';
import { startRegistry } from '../cli/registry.ts';
import { type Ended, type InstalledPackages, run } from '../packages.ts';
import type { SharedStack } from './shared-stack.ts';

const LARGE_MESSAGES = `
schema: approval-policy/v1
name: large messages
rules:
  - { id: large, match: { actions: [demo.echo] }, when: input.message == "large", effect: require_approval }
`;
/** Runs a command on a terminal of its own: what comes to the standard input is typed there. */
const ON_A_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** The command line as its user has it. `python`: an interpreter that has terminals, or null. */
export function cliSuite(
  stack: () => SharedStack,
  installed: () => InstalledPackages,
  python: () => string | null,
): void {
  describe('the command line', () => {
    const all: Ended[] = [];
    /** Everything that was printed: no key may be in it. */
    const kept = <Printed extends Ended>(ended: Printed): Printed => {
      all.push(ended);
      return ended;
    };
    let home: string;
    beforeAll(() => {
      home = mkdtempSync(path.join(stack().folder, 'home-'));
    });
    const command = (): string => path.join(installed().folder, 'node_modules', '.bin', 'agent-actions');
    /** By the name that npm gives it, as its user; no variable says where the service is. */
    const cli = async (...args: string[]): Promise<Ended> =>
      kept(await run(command(), args, { cwd: installed().folder, env: { HOME: home } }));
    const json = async (...args: string[]): Promise<{ code: number; value: Record<string, unknown> }> => {
      const { code, output, errors } = await cli(...args, '--json');
      return { code, value: JSON.parse(output === '' ? errors : output) as Record<string, unknown> };
    };
    const stored = (): string => path.join(home, '.config', 'agent-action-runtime', 'credentials.json');
    const agentKey = (): string => keyOf(stack().credentials, 'development', 'agent');

    it('asks for a login first, and says how', async () => {
      const { code, errors } = await cli('actions', 'list');
      expect([code, errors]).toEqual([2, expect.stringContaining('agent-actions login')]);
    });

    it('ends quietly where the reader of its output has left, as head does', async () => {
      const { PATH = '' } = process.env;
      const program = spawn(command(), ['--help'], { env: { PATH, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] });
      program.stdout.destroy();
      const [errors, [code]] = await Promise.all([text(program.stderr), once(program, 'close')]);
      expect([code, errors]).toEqual([0, '']);
    });

    it('runs by npx, from a registry, in a folder of its own', async () => {
      const registry = await startRegistry(installed().packed);
      try {
        const cwd = mkdtempSync(path.join(stack().folder, 'npx-'));
        const cache = { npm_config_cache: path.join(cwd, 'cache'), npm_config_update_notifier: 'false' };
        const env = { HOME: home, npm_config_registry: registry.url, ...cache };
        const npx = async (...args: string[]): Promise<Ended> =>
          kept(await run('npx', ['--yes', 'agent-action-runtime-cli', ...args], { cwd, env }));
        const login = await npx('login', '--stack', stack().credentialsFile, '--profile', 'npx');
        expect(login).toMatchObject({ code: 0, output: expect.stringContaining('Logged in to') as string });
        const listed = await npx('actions', 'list', '--profile', 'npx');
        expect(listed).toMatchObject({ code: 0, output: expect.stringMatching(/^demo\.echo +governed/m) as string });
        // The exit code is the command's own.
        expect((await npx('effects', 'show', 'eff_0', '--profile', 'nobody')).code).toBe(2);
      } finally {
        await registry.close();
      }
    });

    it('logs in with a stack’s key, and keeps it for its owner alone', async () => {
      const { credentialsFile } = stack();
      const { code, output } = await cli('login', '--stack', credentialsFile);
      expect([code, output]).toEqual([0, expect.stringContaining('Next: agent-actions actions list')]);
      await cli('login', '--stack', credentialsFile, '--key-name', 'agent', '--profile', 'agent');
      expect(statSync(stored()).mode & 0o777).toBe(0o600);
      expect(statSync(path.dirname(stored())).mode & 0o777).toBe(0o700);
    });

    it('logs in with a key that is piped to it, and keeps none that the service refuses', async () => {
      const { baseUrl } = stack().credentials;
      const piped = async (profile: string, input: string): Promise<Ended> => {
        const args = ['login', '--base-url', baseUrl, '--profile', profile];
        return kept(await run(command(), args, { cwd: installed().folder, env: { HOME: home }, input }));
      };
      const taken = await piped('piped', `${agentKey()}\n`);
      expect(taken).toMatchObject({ code: 0, output: expect.stringContaining(`Logged in to ${baseUrl}`) as string });
      expect((await cli('actions', 'list', '--profile', 'piped')).code).toBe(0);
      const refused = await piped('refused', `${agentKey().slice(0, -4)}0000\n`);
      expect(refused).toMatchObject({
        code: 1,
        errors: expect.stringContaining('Next: agent-actions login') as string,
      });
      const noKey = await piped('refused', 'clé\n');
      expect(noKey).toMatchObject({ code: 2, errors: expect.stringContaining('no header can carry') as string });
      expect((await cli('actions', 'list', '--profile', 'refused')).code).toBe(2);
    });

    describe('on a terminal', () => {
      const opened: Program[] = [];
      afterAll(async () => {
        await Promise.all(opened.map((program) => program.end('SIGKILL')));
      });
      const onTerminal = (...args: string[]): Program => {
        const python3 = python();
        if (python3 === null) throw new Error('these tests are left out without Python');
        const program = new Program(['-c', ON_A_TERMINAL, command(), ...args], { HOME: home, TERM: 'xterm' }, python3);
        opened.push(program);
        return program;
      };
      const type = (program: Program, text: string): void => void program.process.stdin?.write(text);
      const ended = async (program: Program): Promise<Ended> =>
        kept({ code: (await program.exited) ?? -1, output: program.output, errors: '' });

      it.skipIf(python() === null)('logs in by typing: the key is not shown', async () => {
        const program = onTerminal('login', '--profile', 'typed');
        await program.printed('Address of the service: ');
        type(program, `${stack().credentials.baseUrl}\r`);
        await program.printed('API key: ');
        type(program, `${agentKey()}\r`);
        expect(await ended(program)).toMatchObject({
          code: 0,
          output: expect.stringContaining(`Logged in to ${stack().credentials.baseUrl}`) as string,
        });
        expect(program.output).not.toContain(agentKey());
        expect((await cli('actions', 'list', '--profile', 'typed')).code).toBe(0);
      });

      it.skipIf(python() === null).each([
        ['Ctrl-C', '\u0003'],
        ['Ctrl-D', '\u0004'],
      ])('is left by %s, and keeps nothing', async (_name, typed) => {
        const program = onTerminal('login', '--base-url', stack().credentials.baseUrl, '--profile', 'left');
        await program.printed('API key: ');
        type(program, typed);
        const { code, output } = await ended(program);
        expect([code, output]).toEqual([2, expect.stringContaining('Interrupted: nothing was done.')]);
        expect(output).not.toMatch(/unsettled|\bat .*:\d+/);
        expect((await cli('actions', 'list', '--profile', 'left')).code).toBe(2);
      });
    });

    it('refuses a file that others can read, and an address that the key is not for', async () => {
      chmodSync(stored(), 0o644);
      expect(await cli('actions', 'list')).toMatchObject({
        code: 2,
        errors: expect.stringContaining('chmod 600') as string,
      });
      chmodSync(stored(), 0o600);
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

    const parkedBy = async (): Promise<{ id: string; approvalId: string }> => {
      const invoke = ['invoke', 'demo.echo', '--input', '{"message":"large"}', '--wait', '0', '--profile', 'agent'];
      const { code, value } = await json(...invoke);
      expect([code, value['status']]).toEqual([3, 'pending_approval']);
      return { id: String(value['id']), approvalId: String(value['approvalId']) };
    };

    it('parks what needs a person; approves the digest that was read, and nothing else', async () => {
      const policies = mkdtempSync(path.join(stack().folder, 'policies-'));
      writeFileSync(path.join(policies, 'large.yaml'), LARGE_MESSAGES);
      expect(await cli('policies', 'apply', policies)).toMatchObject({ code: 0 });
      const { id, approvalId } = await parkedBy();

      const watched = await cli('approvals', 'watch', '--once');
      const shown = watched.output.slice(watched.output.indexOf(approvalId));
      const digest = /^digest +(sha256:\w{64})$/m.exec(shown)?.[1] ?? '';
      expect(watched.output).toContain(`Next: agent-actions approvals approve ${approvalId}`);
      expect(shown).toContain('"method": "POST"');
      const unread = await cli('approvals', 'approve', approvalId);
      expect(unread).toMatchObject({ code: 2, errors: expect.stringContaining(`--digest ${digest}`) as string });
      const wrong = await json('approvals', 'approve', approvalId, '--digest', digest.replace(/\w{4}$/, 'ffff'));
      expect(wrong).toMatchObject({ code: 1, value: { error: { code: 'CONFLICT' } } });
      const agreed = await cli('approvals', 'approve', approvalId, '--digest', digest);
      expect(agreed).toMatchObject({ code: 0, output: expect.stringContaining('1 of 1 agreed') as string });
      const end = await json('logs', '--invocation', id, '--wait', '60', '--profile', 'agent');
      expect([end.code, end.value['status']]).toEqual([0, 'succeeded']);
    });

    it('watches without end: what comes is shown once, and Ctrl-C ends it', async () => {
      const main = path.join(installed().folder, 'node_modules', 'agent-action-runtime-cli', 'dist', 'main.js');
      const first = await parkedBy();
      const watch = new Program([main, 'approvals', 'watch', '--json'], { HOME: home });
      try {
        await watch.printed(first.approvalId);
        const second = await parkedBy();
        await watch.printed(second.approvalId);
        expect(await watch.end('SIGINT')).toBe(0);
        kept({ code: 0, output: watch.output, errors: '' });
        const lines = watch.output.trim().split('\n');
        const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
        expect(ids.filter((id) => [first.approvalId, second.approvalId].includes(id))).toEqual([
          first.approvalId,
          second.approvalId,
        ]);
        for (const { approvalId } of [first, second])
          expect((await cli('approvals', 'deny', approvalId, '--note', 'Enough.')).code).toBe(0);
      } finally {
        await watch.end('SIGKILL');
      }
    });

    it('says what to do where the service refuses, and where nobody answers', async () => {
      const unknown = await json('invoke', 'demo.nothing');
      expect(unknown).toMatchObject({
        code: 1,
        value: { error: { type: 'NotFoundError', code: 'NOT_FOUND' }, exitCode: 1 },
      });
      const env = { HOME: home, BASE_URL: 'http://127.0.0.1:9', API_KEY: agentKey() };
      const silent = kept(await run(command(), ['invoke', 'demo.echo'], { cwd: installed().folder, env }));
      expect(silent).toMatchObject({
        code: 5,
        errors: expect.stringMatching(/Next: .*--idempotency-key [0-9a-f]{32}/) as string,
      });
    });

    it('is `npm run policies` in this repository', async () => {
      const { credentials, dataDir } = stack();
      const root = projectRoot();
      const policies = async (env: Record<string, string>, ...args: string[]): Promise<Ended> => {
        const program = ['embedded/run.mjs', 'embedded/commands/policies.js', ...args];
        return kept(await run(process.execPath, program, { cwd: root, env }));
      };
      const examples = path.join('docs', 'examples', 'approval-policies');
      const planned = await policies({ DATA_DIR: dataDir }, 'plan', examples, '--check');
      expect(planned).toMatchObject({ code: 1, output: expect.stringContaining('2 to create.') as string });
      const key = keyOf(credentials, 'development', 'full_access');
      const tested = await policies({ API_URL: credentials.baseUrl, API_KEY: key }, 'test', examples);
      expect(tested).toMatchObject({ code: 0, output: expect.stringContaining('4 passed, 0 failed.') as string });
      const keyless = await policies({ API_URL: credentials.baseUrl }, 'plan', examples);
      expect(keyless).toMatchObject({ code: 1, errors: expect.stringContaining('API_KEY is not set') as string });
    });

    it('never printed a key', () => {
      const printed = all.map(({ output, errors }) => output + errors).join('\n');
      expect(all.length).toBeGreaterThan(25);
      for (const { key } of stack().credentials.keys) expect(printed).not.toContain(key);
    });
  });
}
