import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createAction, effectAtRest, effectOf, invoke } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { Program } from '../harness/embedded-stack.ts';
import { Gateway, SeparateProcesses } from './separate-processes.ts';

/** SIGSTOP of a worker between its claim and the first byte, while the target's full accept queue holds its connection. */

const HEARTBEAT_TIMEOUT_SECONDS = '4';
/** One more than the queue holds. */
const FILLERS = 2;

const processes = await SeparateProcesses.start();
const api = await processes.startApi();

/** A target that accepts nothing while it is stopped, with a full queue. */
async function startTarget() {
  const program = new Program(['test/faults/slow-to-accept.mjs'], {});
  closesWithFile(() => program.end('SIGKILL'));
  await program.printed('port');
  const port = Number(/port (\d+)/.exec(program.output)?.[1]);
  program.process.kill('SIGSTOP');
  for (let left = FILLERS; left > 0; left -= 1) {
    const filler = connect(port, '127.0.0.1').on('error', () => undefined);
    closesWithFile(async () => filler.destroy());
    await new Promise((resolve) => filler.once('connect', resolve));
  }
  const seen = (line: string) => program.output.split('\n').filter((printed) => printed.startsWith(line)).length;
  return { program, port, seen };
}

/** Whether a connection to the port is in its first step, where the kernel tells. */
function isConnecting(port: number): boolean {
  const table = '/proc/net/tcp';
  if (!existsSync(table)) return true;
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
  return readFileSync(table, 'utf8').includes(remote);
}

const isClaimed = async () =>
  (await processes.database.asOwner('SELECT 1 FROM attempts WHERE claimed_at IS NOT NULL')).length > 0;

test('a worker that wakes after its call was given up sends nothing, and says so', async () => {
  const target = await startTarget();
  const gateway = await Gateway.to(Number(processes.temporal.address.split(':')[1]));
  const worker = await processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS, TEMPORAL_ADDRESS: gateway.address });
  const action = await createAction(api, { url: `http://127.0.0.1:${target.port}/late` }, { timeoutMs: 120_000 });
  const invoked = invoke(api, action);
  await expect.poll(async () => (await isClaimed()) && isConnecting(target.port)).toBe(true);
  worker.process.kill('SIGSTOP');
  // Else Temporal hands tasks to the polls of the stopped worker, one after the other, and each has to time out.
  gateway.cut();
  await processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS });

  const { invocation } = await invoked;
  expect(invocation).toMatchObject({ status: 'unknown', grade: 'unknown' });
  expect((await effectOf(api, invocation)).attempts).toMatchObject([{ kind: 'dispatch', status: 'abandoned' }]);

  target.program.process.kill('SIGCONT');
  await expect.poll(() => target.seen('connection')).toBe(FILLERS + 1);
  worker.process.kill('SIGCONT');
  const late = async () => (await effectOf(api, invocation)).evidence.map(({ summary }) => summary);
  await expect.poll(late).toContainEqual(expect.stringContaining('not sent: the worker was paused for'));
  expect(await effectAtRest(api, invocation.id)).toMatchObject({ grade: 'failed', partialEffect: 'none' });
  expect(target.seen('request')).toBe(0);
});
