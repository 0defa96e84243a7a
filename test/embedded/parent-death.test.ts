import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesNaming, processIdentity } from '../../embedded/our-processes.ts';
import { freePorts, Program } from '../harness/embedded-stack.ts';

/** Each is found by the command line of the server that uses it. */
const SERVER_FILES = ['postgres/cluster', 'temporal/temporal.db', 'demo-target.jsonl'];

/** The npm that runs these tests, or the one on the PATH: a file for node. */
function npmCli(): string {
  const { npm_execpath: running } = process.env;
  if (running?.endsWith('.js') === true) return running;
  return realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
}

/** A real npm starts one data folder again and again. Each start shows that the previous one left nothing in its way. */
describe('npm start, ended from outside', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'parent-death-'));
  const dataDir = path.join(parent, 'data');
  let ports: Awaited<ReturnType<typeof freePorts>>;
  let npm: Program;
  let nodePid: number;

  const start = async (): Promise<void> => {
    npm = new Program([npmCli(), 'start'], { DATA_DIR: dataDir, ...ports });
    await npm.printed('Ctrl-C stops everything');
    nodePid = Number(readFileSync(path.join(dataDir, 'service.lock'), 'utf8').split(':')[0]);
  };
  const running = (): number[] => [
    ...SERVER_FILES.flatMap((file) => processesNaming(path.join(dataDir, file))),
    ...[nodePid].filter((pid) => processIdentity(pid) !== null),
  ];

  beforeAll(async () => {
    chmodSync(parent, 0o711); // PostgreSQL may have to run as another account
    ports = await freePorts();
    await start();
  });
  afterAll(async () => {
    await npm.end('SIGTERM');
    rmSync(parent, { recursive: true, force: true });
  });

  it('stops on a SIGTERM to npm as on Ctrl-C, and npm waits for it', async () => {
    expect(running()).toHaveLength(SERVER_FILES.length + 1);
    expect(await npm.end('SIGTERM')).toBe(0);
    expect(npm.output).toMatch(/Stopping …\nStopped\.\n$/);
    expect(running()).toEqual([]);
  });

  it('stops where npm is killed', async () => {
    await start();
    await npm.end('SIGKILL');
    await expect.poll(running).toEqual([]);
    expect(npm.output).toMatch(/Stopping …\nStopped\.\n$/);
  });

  it('leaves no server behind where it is killed itself', async () => {
    await start();
    process.kill(nodePid, 'SIGKILL');
    await npm.exited;
    await expect.poll(running).toEqual([]);
  });

  it('stops on a SIGTERM of its own, and npm ends with it', async () => {
    await start();
    process.kill(nodePid, 'SIGTERM');
    expect(await npm.exited).toBe(0);
    expect(running()).toEqual([]);
  });
});

describe('a server whose parent is killed', () => {
  it.each(['kernel', 'pipe'])('is told to end, noticed by the %s', async (noticedBy) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parent-death-'));
    const mark = path.join(folder, 'mark');
    const child = {
      name: 'The child',
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)', '--', mark],
      logFile: path.join(folder, 'log'),
      signalOnParentDeath: 'SIGTERM',
      parentDeathNoticedBy: noticedBy,
    };
    const program = new Program(
      [
        '--input-type=module',
        '--eval',
        `import { Child } from './dist/embedded/child-process.js';
         const child = new Child(${JSON.stringify(child)});
         console.log('started');
         await child.exited;`,
      ],
      {},
    );
    await program.printed('started');
    await expect.poll(() => processesNaming(mark)).toHaveLength(1);
    await program.end('SIGKILL');
    await expect.poll(() => processesNaming(mark)).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});
