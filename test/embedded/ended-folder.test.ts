import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeEndedFolder } from '../../embedded/data-folder.ts';
import { processIdentity } from '../../embedded/our-processes.ts';
import { StartError } from '../../embedded/start-error.ts';

/** `npm run demo` begins with a new data folder, but not under a demo that still runs. */
it('the folder of a stack that runs stays, and the refusal names its process; afterwards it is removed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ended-'));
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const lock = path.join(folder, 'service.lock');
  writeFileSync(lock, processIdentity(holder.pid ?? 0) ?? '');
  const remove = (): void => removeEndedFolder(folder);
  expect(remove).toThrow(StartError);
  expect(remove).toThrow(`still running on ${folder} (process ${holder.pid}). Stop it first.`);
  expect(existsSync(lock)).toBe(true);

  holder.kill('SIGKILL');
  await once(holder, 'exit');
  remove();
  expect(existsSync(folder)).toBe(false);
  remove(); // there is none
});
