import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { compiledModule } from '../harness/compiled-module.ts';
import { PATIENCE_MS } from '../harness/patience.ts';

/** It takes no byte, as a full disk does. */
const full = openSync('/dev/full', 'w');
afterAll(() => closeSync(full));

const MODULE = compiledModule('process/process-log.ts').href;

/** Runs a program whose standard output cannot be written. Answers its exit code; null where it had to be killed. */
async function codeOf(program: string): Promise<number | null> {
  const url = `data:text/javascript,${encodeURIComponent(`import(${JSON.stringify(MODULE)}).then(async (module) => { ${program} })`)}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(url)})`], {
    stdio: ['ignore', full, 'inherit'],
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    timeout: PATIENCE_MS / 2,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

test.each([
  [
    'goes on, and ends when it is told to',
    "setTimeout(() => { logger.warn('still here'); process.exit(3); }, 100);",
    3,
  ],
  ['ends where an error was caught by nobody', "setTimeout(() => { throw new Error('a fault'); }, 100);", 1],
])('a process whose log cannot be written %s', { timeout: PATIENCE_MS }, async (_what, then, code) => {
  const log = `const logger = module.openLog({ level: 'info' }); module.logWhatNodePrints(logger); logger.info('a line');`;
  expect(await codeOf(`${log} ${then}`)).toBe(code);
});
