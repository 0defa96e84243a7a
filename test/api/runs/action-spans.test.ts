import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runWithCountsSchema, spanSchema } from '../../../api/runs/schemas.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { findWaitingInvocations, WAITING_INVOCATIONS_MAX } from '../../../db/runs/directory.ts';
import { uncancelledInvocations } from '../../../activities/maintenance/uncancelled-invocations.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { approve, keyClient, readApproval } from '../approvals/support.ts';
import type { CallResult } from '../harness/test-api.ts';
import { beginRun, createAction, dataOf, effectOf, errorOf, invocationIn, invoke } from '../invocations/support.ts';

/** An invocation of a run is a span of it, from its admission to its end, with its effect and its approval. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const action = await createAction(service, { url: `${target.baseUrl}/ok` });
const parking = await createAction(service, { url: `${target.baseUrl}/ok` }, { approval: { required: true } });
// A reply that waited for the end of the wait would outlast any test.
const dependent = await createAction(service, { url: `${target.baseUrl}/ok` }, { timeoutMs: 300_000 });

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

test('one that names a run which ended more than an hour ago is a 409, as its spans are; within the hour it is a span', async () => {
  const run = await beginRun(service);
  await service.call('PATCH', `/api/v2/runs/${run}`, { key: service.key, body: { status: 'succeeded' } });
  await invoke(service, action, { input: {}, runId: run });
  expect(await spansOf(run)).toHaveLength(1);
  // The triggers refuse to move the end: only a superuser with the triggers off can.
  await service.database.asOwner(
    `SET session_replication_role = 'replica'; UPDATE runs SET closed_at = now() - interval '61 minutes' WHERE id = '${run}'`,
  );
  for (const path of ['invoke', 'previews']) {
    const refused = await service.post(`/api/v2/actions/${path === 'invoke' ? action : parking}/${path}`, {
      input: {},
      runId: run,
    });
    expect([path, refused.status, errorOf(refused).code]).toEqual([path, 409, 'CONFLICT']);
    expect(errorOf(refused).message).toContain('takes no spans');
  }
  expect(await spansOf(run)).toHaveLength(1);
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
  test.each<[string, (run: string) => Promise<CallResult>]>([
    ['by its route', (run) => service.post(`/api/v2/runs/${run}/cancel`, {})],
    [
      'by a change of its status',
      (run) => service.call('PATCH', `/api/v2/runs/${run}`, { key: service.key, body: { status: 'cancelled' } }),
    ],
  ])('%s withdraws what waits for a person, and is in the audit log', async (_how, cancel) => {
    const run = await beginRun(service);
    const { invocation } = await invoke(service, parking, { input: {}, runId: run });
    const sent = (await target.requests('/ok')).length;
    expect(dataOf(await cancel(run), runWithCountsSchema).status).toBe('cancelled');
    const ended = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}?wait=60`));
    expect(ended.status).toBe('cancelled');
    expect(await spansOf(run)).toMatchObject([{ status: 'cancelled', invocationId: invocation.id }]);
    expect(await target.requests('/ok')).toHaveLength(sent);
    expect((await service.post(`/api/v2/runs/${run}/cancel`, {})).status).toBe(200);
    const entries = 'SELECT action FROM audit_log WHERE target_id = $1';
    expect(await service.database.asOwner(entries, [run])).toEqual([{ action: 'run.cancelled' }]);
  });

  test('cancels what waits for other effects, whoever these wait for, and nothing of it is sent', async () => {
    const run = await beginRun(service);
    const sent = (await target.requests('/ok')).length;
    const parked = (await invoke(service, parking)).invocation; // of no run: it waits on
    const ofRun = (await invoke(service, parking, { input: {}, runId: run })).invocation;
    const after = async (...effectIds: (string | null)[]) =>
      (await invoke(service, dependent, { input: {}, runId: run, dependsOn: effectIds })).invocation;
    const first = await after(parked.effectId);
    const waiting = [first, await after(first.effectId), await after(ofRun.effectId, parked.effectId)];
    const awaiting = `SELECT FROM invocations WHERE run_id = $1 AND status = 'queued' AND dependencies_awaited_at IS NOT NULL`;
    await expect.poll(() => service.database.asOwner(awaiting, [run])).toHaveLength(waiting.length);

    expect((await service.post(`/api/v2/runs/${run}/cancel`, {})).status).toBe(200);
    const ended = async ({ id }: { id: string }) =>
      invocationIn(await service.get(`/api/v2/actions/invocations/${id}?wait=60`));
    expect((await ended(ofRun)).status).toBe('cancelled');
    for (const one of waiting) {
      expect(await ended(one)).toMatchObject({ status: 'cancelled', refusal: { code: 'invocation_cancelled' } });
      expect(await effectOf(service, one)).toMatchObject({ stage: 'rejected', attempts: [] });
    }
    // Its effect waits for a person still: nothing but the cancellation ended this wait.
    expect((await ended(first)).error).toBe(`cancelled while it waited for ${parked.effectId}`);
    expect((await spansOf(run)).map(({ status }) => status)).toEqual(Array(4).fill('cancelled'));

    // What was waited for comes about after all: it is sent, and nothing that was withdrawn.
    const person = await keyClient(service, service.database.tenant);
    await approve(person, await readApproval(person, parked.approvalId));
    expect((await ended(parked)).status).toBe('succeeded');
    expect(await target.requests('/ok')).toHaveLength(sent + 1);
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

  test('what was waited for comes about before the cancellation is heard of: nothing is sent', async () => {
    const run = await beginRun(service);
    const sent = (await target.requests('/ok')).length;
    const parked = (await invoke(service, parking)).invocation; // of no run
    const body = { input: {}, runId: run, dependsOn: [parked.effectId] };
    const behind = (await invoke(service, dependent, body)).invocation;
    const agreed = (await invoke(service, parking, { input: {}, runId: run })).invocation;
    const awaiting = `SELECT FROM invocations WHERE run_id = $1 AND status = 'queued' AND dependencies_awaited_at IS NOT NULL`;
    await expect.poll(() => service.database.asOwner(awaiting, [run])).toHaveLength(1);
    await service.database.asOwner(
      "UPDATE runs SET status = 'cancelled', ended_at = now(), closed_at = now() WHERE id = $1",
      [run],
    );
    const person = await keyClient(service, service.database.tenant);
    await approve(person, await readApproval(person, parked.approvalId));
    const end = async ({ id }: { id: string }) =>
      invocationIn(await service.get(`/api/v2/actions/invocations/${id}?wait=60`));
    expect((await end(parked)).status).toBe('succeeded');
    expect((await end(behind)).status).toBe('cancelled');
    await approve(person, await readApproval(person, agreed.approvalId));
    expect((await end(agreed)).status).toBe('cancelled');
    expect(await target.requests('/ok')).toHaveLength(sent + 1);
  });

  test('also where an operator terminated what waits: an approval later sends nothing', async () => {
    const run = await beginRun(service);
    const { invocation } = await invoke(service, parking, { input: {}, runId: run });
    const sent = (await target.requests('/ok')).length;
    await service.client.workflow.getHandle(`invocation/${invocation.id}`).terminate('an operator');
    expect((await service.post(`/api/v2/runs/${run}/cancel`, {})).status).toBe(200);
    const ended = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}?wait=60`));
    expect(ended.status).toBe('cancelled');
    const person = await keyClient(service, service.database.tenant);
    expect(await readApproval(person, invocation.approvalId)).toMatchObject({ status: 'cancelled' });
    expect(await target.requests('/ok')).toHaveLength(sent);
  });

  test('tells a bounded number of them at once', async () => {
    const run = await beginRun(service);
    const { invocation } = await invoke(service, parking, { input: {}, runId: run });
    const asReplica = "SET session_replication_role = 'replica'; ";
    const [columns] = await service.database.asOwner<{ names: string }>(
      `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = 'invocations' AND is_generated = 'NEVER'`,
    );
    await service.database.asOwner(
      `${asReplica} INSERT INTO invocations (${columns?.names}) SELECT ${columns?.names} FROM (
         SELECT (jsonb_populate_record(i, jsonb_build_object('id', 'inv_copy_' || n, 'operation_key', 'copy_' || n,
           'effect_id', NULL, 'approval_id', NULL, 'preview_id', NULL))).*
         FROM invocations i, generate_series(1, ${WAITING_INVOCATIONS_MAX}) n WHERE i.id = '${invocation.id}') copy`,
    );
    const { db, tenant } = service.database;
    const found = await db.withEnvironment(tenant, (tx) => findWaitingInvocations(tx, tenant, run));
    // The other tests sweep all that waits.
    await service.database.asOwner(`${asReplica} DELETE FROM invocations WHERE id LIKE 'inv_copy_%'`);
    expect(found).toHaveLength(WAITING_INVOCATIONS_MAX);
  });

  test('of one that ended otherwise is a 409', async () => {
    const run = await beginRun(service);
    await service.call('PATCH', `/api/v2/runs/${run}`, { key: service.key, body: { status: 'succeeded' } });
    expect((await service.post(`/api/v2/runs/${run}/cancel`, {})).status).toBe(409);
  });
});
