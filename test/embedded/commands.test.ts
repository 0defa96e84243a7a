import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { projectRoot } from '../../process/project-root.ts';

/** The scripts of package.json whose program is made of `runCommand`, with the file of each. */
const { scripts } = JSON.parse(readFileSync(path.join(projectRoot(), 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const COMMANDS = Object.entries(scripts).flatMap(([script, run]) => {
  const name = /embedded\/commands\/([\w-]+)\.js$/.exec(run)?.[1];
  if (name === undefined) return [];
  const file = path.join(projectRoot(), 'embedded', 'commands', `${name}.ts`);
  return readFileSync(file, 'utf8').includes('runCommand(') ? [{ script, file }] : [];
});

const { argv, exitCode } = process;
afterEach(() => {
  process.argv = argv;
  process.exitCode = exitCode;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** A command runs when its file is imported. */
async function ran(file: string, ...words: string[]) {
  const printed = { log: '', error: '' };
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed.log += text));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void (printed.error += text));
  // Where a command ran nevertheless, it would not find the stack of whoever tests.
  vi.stubEnv('DATA_DIR', '/dev/null/none');
  process.argv = [...argv.slice(0, 1), file, ...words];
  process.exitCode = 0;
  await import(file);
  return { ...printed, code: process.exitCode };
}

test('the commands are found', () => {
  expect(COMMANDS.length).toBeGreaterThanOrEqual(15);
});

test.each(COMMANDS)(
  '$script says how it is called when it is asked, and does nothing else',
  async ({ script, file }) => {
    const { log, error, code } = await ran(file, '--help');
    expect(log).toMatch(new RegExp(`npm run (--silent )?${script}\\b`));
    expect({ error, code }).toEqual({ error: '', code: 0 });
  },
);

test.each(COMMANDS)(
  '$script does nothing with an argument that it does not take, and says how it is called',
  async ({ script, file }) => {
    const { log, error, code } = await ran(file, '--nonsense');
    expect(error).toMatch(/^Unknown option '--nonsense'/);
    expect(error).toMatch(new RegExp(`npm run (--silent )?${script}\\b`));
    expect({ log, code }).toEqual({ log: '', code: 1 });
  },
);

const NOWHERE = '127.0.0.1:1';
const fileOf = (name: string): string => COMMANDS.find(({ script }) => script === name)?.file ?? '';

test.each([['deploy', 'status'], ['replay', '--workflow-id=inv_1'], ['temporal:setup']])(
  '%s says where Temporal does not answer',
  async (script, ...words) => {
    vi.stubEnv('TEMPORAL_ADDRESS', NOWHERE);
    const { error, code } = await ran(fileOf(script), ...words);
    expect(error).toContain(`Temporal does not answer at ${NOWHERE}: `);
    expect(code).toBe(1);
  },
);

test('replay says what Temporal has against a query', async () => {
  vi.stubEnv('TEMPORAL_ADDRESS', inject('stack').temporalAddress);
  const { error, code } = await ran(fileOf('replay'), '--query', 'foo=');
  expect(error).toMatch(/^--query: .*invalid query/);
  expect(code).toBe(1);
});

test('db:migrate says which login it took, in one line', async () => {
  vi.stubEnv('DATABASE_URL', `postgresql://service_application:application@${NOWHERE}/service`);
  const { error, code } = await ran(fileOf('db:migrate'));
  expect(error.trim().split('\n')).toEqual([expect.stringMatching(/ECONNREFUSED.*MIGRATION_DATABASE_URL is not set/)]);
  expect(code).toBe(1);
});
