import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, test } from 'vitest';
import { PRODUCT } from '../../domain/product.ts';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { createAction, invocationIn, invoke } from '../api/invocations/support.ts';
import { startTarget } from '../harness/target.ts';
import { sentTo, untilSeen } from './seen.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/** An API process that runs invocations itself (RUN_INVOCATIONS), and no worker process until the end. */

/** A call of a plain invocation that is still under way when its process is killed. */
const KILLED_CALL_MS = 5_000;

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const temporal = await processes.temporalClient();
const startRunner = (): Promise<ApiProcess> => processes.startApi({ RUN_INVOCATIONS: '1' });
const runner = await startRunner();

const plainAction = (api: ApiProcess, path: string, timeoutMs = 30_000): Promise<string> =>
  createAction(api, { url: `${target.baseUrl}${path}` }, { governed: false, timeoutMs });
const invocations = (action: string): Promise<{ id: string; status: string }[]> =>
  processes.database.asOwner(
    'SELECT i.id, i.status FROM invocations i JOIN actions a ON a.id = i.action_id WHERE a.name = $1',
    [action],
  );
const hasWorkflow = (id: string | undefined): Promise<boolean> =>
  temporal.workflow
    .getHandle(`invocation/${id}`)
    .describe()
    .then(
      () => true,
      () => false,
    );
const endOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'answered',
    () => 'cut off',
  );
/** API processes whose part of HTTP has not ended. */
const listeningApis = async (): Promise<number> => {
  const name = `${PRODUCT.id}-api-listen`;
  const rows = await processes.database.asOwner<{ count: number }>(
    'SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
    [name],
  );
  return rows[0]?.count ?? 0;
};
const checks = async (api: ApiProcess): Promise<[number, unknown]> => {
  const { status, json } = await api.get('/readyz');
  const { data, error } = json as { data?: { checks: unknown }; error?: { details: { checks: unknown } } };
  return [status, data?.checks ?? error?.details.checks];
};

test('a governed invocation takes one workflow task, a plain one none, without a worker process', async () => {
  const governed = await createAction(runner, { url: `${target.baseUrl}/ok?governed` });
  const { invocation } = await invoke(runner, governed);
  expect(invocation).toMatchObject({ status: 'succeeded', error: null });
  const history = historyToJSON(await temporal.workflow.getHandle(`invocation/${invocation.id}`).fetchHistory());
  const times = (event: string): number => history.split(`"EVENT_TYPE_${event}"`).length - 1;
  const isEager = history.includes('"eagerExecutionAccepted": true');
  expect([isEager, times('WORKFLOW_TASK_COMPLETED'), times('ACTIVITY_TASK_SCHEDULED')]).toEqual([true, 1, 0]);

  const plain = await invoke(runner, await plainAction(runner, '/ok?plain'));
  expect(plain.invocation).toMatchObject({ status: 'succeeded', error: null });
  expect(await hasWorkflow(plain.invocation.id)).toBe(false);
  expect([await sentTo(target, '/ok?governed'), await sentTo(target, '/ok?plain')]).toEqual([1, 1]);
});

test('its readiness says that no worker process does the rest', async () => {
  const up = { database: 'up', temporal: 'up', setup: 'up' };
  expect(await checks(runner)).toEqual([503, { ...up, workers: 'none' }]);
});

test('SIGTERM during a plain call: its caller is answered', async () => {
  const doomed = await startRunner();
  const answer = invoke(doomed, await plainAction(doomed, '/hang?answered'));
  await untilSeen(target, ['/hang?answered']);
  doomed.program.process.kill('SIGTERM');
  await doomed.program.printed('"msg":"stopping"');
  await target.release();
  expect((await answer).invocation).toMatchObject({ status: 'succeeded', error: null });
  expect(await doomed.program.exited).toBe(0);
});

test('SIGTERM during a plain call whose caller has left: it ends on record', async () => {
  const doomed = await startRunner();
  const action = await plainAction(doomed, '/hang?left');
  const leaving = new AbortController();
  const request = fetch(`${doomed.baseUrl}/api/v2/actions/${action}/invoke`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${doomed.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: {} }),
    signal: leaving.signal,
  });
  const ended = endOf(request);
  await untilSeen(target, ['/hang?left']);
  leaving.abort();
  expect(await ended).toBe('cut off');
  expect(await listeningApis()).toBe(2);
  doomed.program.process.kill('SIGTERM');
  await expect.poll(listeningApis).toBe(1);
  expect(doomed.program.process.exitCode).toBeNull();
  await target.release();
  expect(await doomed.program.exited).toBe(0);
  const [left] = await invocations(action);
  expect([left?.status, await hasWorkflow(left?.id)]).toEqual(['succeeded', false]);
});

test('SIGKILL during a plain call: nothing is sent again, and its outcome becomes unknown', async () => {
  const doomed = await startRunner();
  const action = await plainAction(doomed, '/hang?killed', KILLED_CALL_MS);
  const cutOff = doomed.post(`/api/v2/actions/${action}/invoke`, { input: {} });
  const ended = endOf(cutOff);
  await untilSeen(target, ['/hang?killed']);
  await doomed.program.end('SIGKILL');
  expect(await ended).toBe('cut off');
  const [lost] = await invocations(action);
  expect(await hasWorkflow(lost?.id)).toBe(false);

  await processes.startWorker();
  await expect.poll(async () => (await checks(runner))[0]).toBe(200);
  await processes.database.asOwner('UPDATE workflow_starts SET due_at = now() WHERE id = $1', [lost?.id]);
  await temporal.schedule.getHandle(SWEEP_SCHEDULE_ID).trigger();
  const status = async () => invocationIn(await runner.get(`/api/v2/actions/invocations/${lost?.id}`)).status;
  await expect.poll(status).toBe('unknown');
  expect(await sentTo(target, '/hang?killed')).toBe(1);
});
