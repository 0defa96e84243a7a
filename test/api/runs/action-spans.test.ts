import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runWithCountsSchema, spanSchema } from '../../../api/runs/schemas.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { uncancelledInvocations } from '../../../activities/maintenance/uncancelled-invocations.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { approve, keyClient, readApproval } from '../approvals/support.ts';
import { beginRun, createAction, dataOf, errorOf, invocationIn, invoke } from '../invocations/support.ts';

/** An invocation of a run is a span of it, from its admission to its end, with its effect and its approval. */
let service: TestService;
let target: Target;
let action: string;
let parking: string;
beforeAll(async () => {
  [service, target] = await Promise.all([startTestService(), startTarget()]);
  action = await createAction(service, { url: `${target.baseUrl}/ok` });
  parking = await createAction(service, { url: `${target.baseUrl}/ok` }, { approval: { required: true } });
});
afterAll(async () => {
  await target.stop();
  await service.close();
});

const spansOf = async (run: string) => dataOf(await service.get(`/api/v2/runs/${run}/spans`), z.array(spanSchema));
const runOf = async (run: string) => dataOf(await service.get(`/api/v2/runs/${run}`), runWithCountsSchema);

test('one that was sent is a span with its effect, and has ended as it did', async () => {
  const run = await beginRun(service);
  const { invocation } = await invoke(service, action, { input: {}, runId: run });
  expect(invocation.status).toBe('succeeded');
  const [span, ...others] = await spansOf(run);
  expect(others).toEqual([]);
  expect(span).toMatchObject({
    kind: 'action',
    name: action,
    status: 'succeeded',
    invocationId: invocation.id,
    effectId: invocation.effectId,
    approvalId: null,
    parentId: null,
    startedAt: invocation.createdAt,
    endedAt: invocation.settledAt,
    attributes: { 'service.invocation.status': 'succeeded', 'service.invocation.grade': invocation.grade },
  });
  expect((await runOf(run)).counts).toEqual({ spans: 1, invocations: 1, effects: 1, approvals: 0 });
});

test('one that waits for a person runs, shows its approval, and ends with the decision; its place can be set', async () => {
  const run = await beginRun(service);
  const { invocation } = await invoke(service, parking, { input: {}, runId: run });
  expect(invocation.status).toBe('pending_approval');
  const [waiting] = await spansOf(run);
  expect(waiting).toMatchObject({ status: 'running', endedAt: null, approvalId: invocation.approvalId });
  const tool = { id: '00f067aa0ba902b7', name: 'refund tool', kind: 'tool' };
  await service.post(`/api/v2/runs/${run}/spans`, { spans: [tool, { id: waiting?.id, parentId: tool.id }] });
  const refused = await service.call('PATCH', `/api/v2/runs/${run}/spans/${waiting?.id}`, {
    key: service.key,
    body: { status: 'succeeded' },
  });
  expect([refused.status, errorOf(refused).code]).toEqual([400, 'VALIDATION_ERROR']);
  // Whoever asked may not approve.
  const person = await keyClient(service, service.database.tenant);
  await approve(person, await readApproval(person, invocation.approvalId));
  const settled = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}?wait=60`));
  expect(settled.status).toBe('succeeded');
  const children = dataOf(await service.get(`/api/v2/runs/${run}/spans?parentId=${tool.id}`), z.array(spanSchema));
  expect(children).toMatchObject([{ id: waiting?.id, status: 'succeeded', approvalId: invocation.approvalId }]);
});

test('one that names a run which is not there is a 400, and leaves neither an invocation nor a span', async () => {
  const count = async () =>
    service.database.asOwner(
      'SELECT (SELECT count(*)::int FROM invocations) AS i, (SELECT count(*)::int FROM spans) AS s',
    );
  const before = await count();
  const reply = await service.post(`/api/v2/actions/${action}/invoke`, {
    input: {},
    runId: 'run_0351NTsRiaVmWP92Y4jFhc',
  });
  expect(reply.status).toBe(400);
  expect(JSON.stringify(errorOf(reply).details)).toContain('body.runId');
  expect(await count()).toEqual(before);
});

describe('cancelling a run', () => {
  test('withdraws what waits for a person, and nothing of it is sent', async () => {
    const run = await beginRun(service);
    const { invocation } = await invoke(service, parking, { input: {}, runId: run });
    const sent = (await target.requests('/ok')).length;
    const cancelled = dataOf(await service.post(`/api/v2/runs/${run}/cancel`, {}), runWithCountsSchema);
    expect(cancelled.status).toBe('cancelled');
    const ended = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}?wait=60`));
    expect(ended.status).toBe('cancelled');
    expect(await spansOf(run)).toMatchObject([{ status: 'cancelled', invocationId: invocation.id }]);
    expect(await target.requests('/ok')).toHaveLength(sent);
    expect((await service.post(`/api/v2/runs/${run}/cancel`, {})).status).toBe(200);
  });

  test('also where the cancellation was lost: the sweep finds what still waits', async () => {
    const run = await beginRun(service);
    const { invocation } = await invoke(service, parking, { input: {}, runId: run });
    // As by a process that died between its commit and the cancellation.
    await service.database.asOwner(
      "UPDATE runs SET status = 'cancelled', ended_at = now(), closed_at = now() WHERE id = $1",
      [run],
    );
    const deps = { db: service.database.db, logger: pino({ level: 'silent' }), ...service.starters };
    const swept = await sweepRows(deps, 'uncancelled-invocations', uncancelledInvocations());
    expect(swept).toEqual({ seen: 1, failed: 0 });
    const ended = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}?wait=60`));
    expect(ended.status).toBe('cancelled');
  });

  test('of one that ended otherwise is a 409', async () => {
    const run = await beginRun(service);
    await service.call('PATCH', `/api/v2/runs/${run}`, { key: service.key, body: { status: 'succeeded' } });
    expect((await service.post(`/api/v2/runs/${run}/cancel`, {})).status).toBe(409);
  });
});
