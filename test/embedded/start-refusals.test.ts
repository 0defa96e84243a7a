import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DataFolder } from '../../embedded/data-folder.ts';
import { projectRoot } from '../../process/project-root.ts';
import { StartError } from '../../embedded/start-error.ts';
import { refuseTakenPorts } from '../../embedded/taken-ports.ts';
import { Program } from '../harness/embedded-stack.ts';

/** What `npm start` says where it starts nothing. */

const parent = mkdtempSync(path.join(tmpdir(), 'refusals-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Runs two copied files alone: a reply needs nothing that is installed or built. */
async function startWith(...args: string[]): Promise<{ code: number | null; output: string }> {
  const folder = path.join(parent, 'embedded');
  mkdirSync(folder, { recursive: true });
  for (const file of ['start.mjs', 'start-usage.mjs'])
    copyFileSync(path.join(projectRoot(), 'embedded', file), path.join(folder, file));
  const program = new Program([path.join(folder, 'start.mjs'), ...args], {});
  return { code: await program.exited, output: program.output };
}

it.each(['--help', '-h'])('%s prints the variables, with exit code 0', async (option) => {
  const { code, output } = await startWith(option);
  expect(code).toBe(0);
  for (const variable of ['DATA_DIR', 'PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'POSTGRES_PORT', 'EGRESS_ALLOW'])
    expect(output).toMatch(new RegExp(`^ {2}${variable} `, 'm'));
});

it.each([['--port', '8081'], ['--hlep'], ['8081', '--help']])('refuses %s with the usage', async (...args) => {
  const { code, output } = await startWith(...args);
  expect(code).toBe(2);
  expect(output).toContain(`npm start takes no ${args.filter((arg) => arg !== '--help').join(' ')}.`);
  expect(output).toContain('  DATA_DIR ');
});

const openError = async (folder: string): Promise<StartError> => {
  const error = await DataFolder.open(folder).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartError);
  return error as StartError;
};

it('refuses a file, what is below one, and a folder of something else: the message names DATA_DIR', async () => {
  const file = path.join(parent, 'file');
  writeFileSync(file, '');
  expect((await openError(file)).message).toBe(
    `${file} cannot be the folder of the stack: it is a file. Set DATA_DIR to another folder.`,
  );
  expect((await openError(path.join(file, 'below'))).message).toContain('a part of its path is a file. Set DATA_DIR');
  const { message } = await openError(parent);
  expect(message).toBe(
    `${parent} is not empty, and holds nothing of npm start. Set DATA_DIR to a folder of its own, which npm start makes.`,
  );
});

it('names the file that is damaged, and nothing that stood in it', async () => {
  const folder = path.join(parent, 'damaged');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'version.json'), 'service_live_secret');
  const error = await DataFolder.open(folder).catch((reason: unknown) => reason);
  expect(String(error)).toContain(`${path.join(folder, 'version.json')} is damaged: it holds no JSON.`);
  expect(String(error)).not.toContain('service_live');
});

it('says of a taken port that a second stack needs other ones', async () => {
  const { createServer } = await import('node:net');
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  try {
    await expect(refuseTakenPorts([{ variable: 'PORT', host: '127.0.0.1', port }])).rejects.toThrow(
      'A second stack of npm start needs other ports, and a DATA_DIR of its own.',
    );
  } finally {
    server.close();
  }
});
