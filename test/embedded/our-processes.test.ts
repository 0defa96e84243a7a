import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { processesNaming } from '../../embedded/our-processes.ts';

/** Names its own child by the same argument, as PostgreSQL's postmaster does until a client's first packet has come. */
const WITH_A_CHILD = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', process.argv[1]]);
  child.once('spawn', () => console.log(child.pid));`;

test('a child with the arguments of its parent is named only once its parent is gone', async () => {
  const mark = randomUUID();
  const parent = spawn(process.execPath, ['-e', WITH_A_CHILD, '--', mark], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const child = Number(line);
  try {
    expect(processesNaming(mark)).toEqual([parent.pid]);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(processesNaming(mark)).toEqual([child]);
  } finally {
    process.kill(child, 'SIGKILL');
  }
});
