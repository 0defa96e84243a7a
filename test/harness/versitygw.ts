import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../../embedded/ports.ts';
import { projectRoot } from '../../process/project-root.ts';
import { PATIENCE_MS } from './patience.ts';
import type { S3Settings } from '../../activities/adapters/files/s3-client.ts';

const MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
/** Compiling takes two minutes of a free machine, once. */
export const VERSITYGW_BUILD_TIMEOUT_MS = 900_000;

/** Whether this machine can build a Go program. */
export const HAS_GO = spawnSync('go', ['version']).status === 0;

export interface RunningS3 {
  settings: S3Settings;
  /** The folder of the bucket: each object is a file of it. */
  folder: string;
  stop(): Promise<void>;
}

/** A real S3 server in a process of its own, over a folder. It is built from the Go module proxy and kept in the project's cache. */
export async function startVersitygw(): Promise<RunningS3> {
  const program = await buildVersitygw();
  const root = mkdtempSync(path.join(tmpdir(), 'versitygw-'));
  const data = path.join(root, 'data');
  const folder = path.join(data, 'files');
  for (const made of [folder, path.join(root, 'sidecar')]) mkdirSync(made, { recursive: true });
  const [port = 0] = await freePorts(1);
  const credentials = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-of-this-server' };
  const { PATH = '' } = process.env;
  // The sidecar holds what would be in extended attributes, which not every file system has.
  const server = spawn(
    program,
    ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', path.join(root, 'sidecar'), data],
    {
      env: { PATH, ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
    },
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await isListening(port))) {
    if (Date.now() > giveUpAt) throw new Error(`versitygw does not listen: ${output}`);
    await delay(50);
  }
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'files',
      ...credentials,
      pathStyle: true,
    },
    folder,
    stop: async () => {
      server.kill('SIGKILL');
      await exited;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function buildVersitygw(): Promise<string> {
  const folder = path.join(projectRoot(), '.cache', 'versitygw-1.8.0');
  const program = path.join(folder, 'versitygw');
  if (existsSync(program)) return program;
  mkdirSync(path.dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  try {
    const build = spawn('go', ['install', '-ldflags=-s -w', MODULE], { env: { ...process.env, GOBIN: unfinished } });
    let output = '';
    build.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise<number | null>((resolve) => build.once('close', resolve));
    if (code !== 0) throw new Error(`go install ${MODULE} ended with ${code}: ${output.slice(-2_000)}`);
    if (!existsSync(program)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
