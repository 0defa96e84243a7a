import { describe, expect, test } from 'vitest';
import { createAction, invocationIn } from '../api/invocations/support.ts';
import type { Program } from '../harness/embedded-stack.ts';
import { startTarget } from '../harness/target.ts';
import { SeparateProcesses } from './separate-processes.ts';

type Line = Record<string, unknown>;

const REQUEST_ID = 'the-request-of-a-test';
const INPUT = 'a value that belongs in no log';

/** Every line that a process printed, each of which must be JSON. `npm start` prepares before the process begins. */
const linesOf = (program: Program): Line[] =>
  program.output
    .split('\n')
    .filter((line) => line !== '' && !/^(Building,|Built in )/.test(line))
    .map((line) => JSON.parse(line) as Line);

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
// A warning of Node's own, as an old dependency causes it.
const environment = { LOG_LEVEL: 'trace', NODE_OPTIONS: '--trace-deprecation', NODE_PENDING_DEPRECATION: '1' };
const [api, worker] = await Promise.all([processes.startApi(environment), processes.startWorker(environment)]);
const action = await createAction(api, { url: `${target.baseUrl}/hang?logs` }, { timeoutMs: 3_000 });
const reply = await api.post(
  `/api/v2/actions/${action}/invoke`,
  { input: { note: INPUT } },
  { 'X-Request-Id': REQUEST_ID },
);
const invocationId = invocationIn(reply).id;

describe('the logs', () => {
  test('the line of a request names what it touched, and its id leads to the record and the workflow', async () => {
    const line = () =>
      linesOf(api.program).find((each) => each['requestId'] === REQUEST_ID && each['msg'] === 'request');
    await expect.poll(line).toBeDefined();
    const invocation = invocationIn(await api.get(`/api/v2/actions/invocations/${invocationId}`));
    expect(line()).toMatchObject({ invocationId, effectId: invocation.effectId });
    expect(invocation).toMatchObject({ requestId: REQUEST_ID });
    const { workflow } = await processes.temporalClient();
    const { memo } = await workflow.getHandle(`invocation/${invocationId}`).describe();
    expect(memo).toEqual({ requestId: REQUEST_ID });
  });

  test('lines of the worker name their workflow and invocation', async () => {
    const lines = () => linesOf(worker).filter((line) => line['workflowId'] === `invocation/${invocationId}`);
    await expect.poll(() => lines().length).toBeGreaterThan(0);
    for (const line of lines()) expect(line).toMatchObject({ invocationId });
  });

  test('hold no input, and nothing beside JSON, to the last line of a process that is told to stop', async () => {
    await processes.temporal.stop(); // the SDK has much to say about that
    expect(await worker.end('SIGTERM')).not.toBeNull();
    expect(await api.program.end('SIGTERM')).toBe(0);
    for (const program of [api.program, worker]) {
      expect(linesOf(program).at(-1)).toMatchObject({ msg: expect.any(String) });
      expect(program.output).not.toContain(INPUT);
    }
  });

  test('a process that does not start says why in one line of JSON', async () => {
    await expect(processes.startWorker({ MASTER_KEYS: '1:replace-me' })).rejects.toThrow('MASTER_KEYS');
  });
});
