import { WorkflowNotFoundError } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startInvocationWorkflow } from '../../../api/invocations/start-invocation-workflow.ts';
import { EnvironmentNames } from '../../../db/environments/callers.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { newId } from '../../../domain/ids.ts';
import { SEARCH_ATTRIBUTES } from '../../../temporal/search-attributes.ts';
import { foundBy } from '../../harness/found-by.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { deny, keyClient, untilWatched } from '../approvals/support.ts';
import { stepsWithoutSummary } from '../../replay/summaries.ts';
import { createAction, dataOf, invocationIn, invoke } from './support.ts';

/** What an operator who has only the Temporal UI sees, read back from the server: attributes, details, and the summary of each step. */

const SECRET = 'sk_test_0f9e8d7c6b5a-of-the-vault';
const INPUT = 'input-that-nobody-else-may-read';

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { key } = service;
await service.call('PUT', '/api/v2/secrets/API_TOKEN', { key, body: { value: SECRET } });

interface Shown {
  details: string;
  stage: unknown;
  grade: unknown;
  environment: unknown;
}

const metadata = z.object({ currentDetails: z.string().default('') });

async function detailsOf(handle: WorkflowHandle): Promise<string> {
  return metadata.parse(await handle.query('__temporal_workflow_metadata')).currentDetails;
}

/** Everything that the UI has of a workflow. Fails where a step has no summary, or anything of a call can be read. */
async function shown(workflowId: string): Promise<Shown> {
  const handle = service.client.workflow.getHandle(workflowId);
  const described = await handle.describe();
  const history = historyToJSON(await handle.fetchHistory());
  const details = await detailsOf(handle);
  expect(stepsWithoutSummary(JSON.parse(history))).toEqual([]);
  const readable = [details, JSON.stringify(described.raw), history.replaceAll(/"[A-Za-z0-9+/=]{8,}"/g, decoded)].join(
    '\n',
  );
  expect(readable).toContain('What it does');
  for (const value of [SECRET, INPUT]) expect(readable).not.toContain(value);
  const attributes = described.typedSearchAttributes;
  return {
    details,
    stage: attributes.get(SEARCH_ATTRIBUTES.stage),
    grade: attributes.get(SEARCH_ATTRIBUTES.grade),
    environment: attributes.get(SEARCH_ATTRIBUTES.environment),
  };
}

/** Payloads are base64 in the JSON of a history. */
const decoded = (text: string): string => `${text} ${Buffer.from(text.slice(1, -1), 'base64').toString('utf8')}`;

const call = (path: string): object => ({
  url: `${target.baseUrl}${path}`,
  headers: { authorization: 'Bearer {{secret:API_TOKEN}}' },
  body: { note: '{{input.note}}' },
});
const body = (more: object = {}): { input: { note: string } } => ({ input: { note: INPUT }, ...more });

async function invoked(path: string, overrides: object = {}): Promise<{ id: string; effectId: string | null }> {
  const action = await createAction(service, { ...call(path) }, { ...overrides });
  return (await invoke(service, action, body())).invocation;
}

/** The end of a workflow is on the server a moment after its caller has the answer. */
async function shownAtTheEnd(id: string): Promise<Shown> {
  const workflowId = `invocation/${id}`;
  await service.client.workflow.getHandle(workflowId).result();
  return shown(workflowId);
}

const UNITS = { impact: [{ dimension: 'ui_units', amount: { path: 'input.note' }, bound: 'exact' }] };
const PLAIN = { governed: false };

describe('an invocation that', () => {
  /** The target answers what it was sent, so the input is in the response too. */
  test('succeeded', async () => {
    const { id } = await invoked('/echo');
    expect(await shownAtTheEnd(id)).toEqual({
      details: 'SUCCEEDED (acknowledged)',
      stage: 'settled',
      grade: 'acknowledged',
      environment: 'Development',
    });
  });

  test.each([
    ['failed', '/status?status=422', {}, 'FAILED (provider_rejected): The provider', 'settled', 'failed'],
    ['was refused', '/ok', UNITS, 'REFUSED (impact_unbounded): The impact', 'rejected', 'refused'],
    ['is unknown', '/reset', {}, 'UNKNOWN (no_usable_answer): The request was sent', 'reconciling', 'unknown'],
    ['is unknown, without an effect', '/reset', PLAIN, 'UNKNOWN (no_usable_answer): The request', 'unknown', 'unknown'],
  ] as const)('%s', async (_what, path, overrides, details, stage, grade) => {
    const { id, effectId } = await invoked(path, overrides);
    const seen = await shownAtTheEnd(id);
    expect(seen).toMatchObject({ stage, grade, environment: 'Development' });
    expect(seen.details.slice(0, details.length)).toBe(details);
    if (stage !== 'reconciling') return;
    expect(seen.details).toContain(`reconcile/${effectId}`);
    await expect
      .poll(async () => (await shown(`reconcile/${effectId}`)).details)
      .toMatch(/^WAITS: the next read at 20/);
  });

  test('was refused at its destination', async () => {
    const action = await createAction(service, { url: 'http://169.254.0.1/' });
    const { id } = (await invoke(service, action)).invocation;
    const { details, stage } = await shownAtTheEnd(id);
    expect([details.split(':')[0], stage]).toEqual(['REFUSED (destination_blocked)', 'rejected']);
  });

  test.each([
    ['succeeded', '/ok', 'succeeded'],
    ['failed', '/status?status=422', 'failed'],
  ])('%s, without an effect: it had nothing to wait for, and has no workflow', async (_what, path, status) => {
    const action = await createAction(service, { ...call(path) }, PLAIN);
    const { invocation } = await invoke(service, action, body());
    expect(invocation.status).toBe(status);
    const described = service.client.workflow.getHandle(`invocation/${invocation.id}`).describe();
    await expect(described).rejects.toThrow(WorkflowNotFoundError);
    expect(await service.database.asOwner('SELECT FROM workflow_starts WHERE id = $1', [invocation.id])).toEqual([]);
  });

  test('waits for people, and is denied', async () => {
    const { id } = await invoked('/ok', { approval: { required: true } });
    const { approvalId } = invocationIn(await service.get(`/api/v2/actions/invocations/${id}`));
    const approval = `approval/${approvalId}`;
    await untilWatched(service, approvalId ?? '');
    await expect
      .poll(async () => (await shown(approval)).details)
      .toMatch(/^WAITS for people: 0 of 1 approvals; expires at/);
    expect(await shown(`invocation/${id}`)).toMatchObject({
      details: `WAITS for approval ${approvalId}`,
      stage: 'awaiting_approval',
    });
    const operator = await keyClient(service, service.database.tenant);
    expect((await deny(operator, { id: approvalId ?? '' }, INPUT)).status).toBe(200);
    const seen = await shownAtTheEnd(id);
    expect(seen).toMatchObject({ stage: 'rejected', grade: 'denied' });
    expect(seen.details).toBe('DENIED (approval_denied): A person denied the approval.');
    expect(await shown(approval)).toMatchObject({ details: 'DENIED', stage: 'denied', environment: 'Development' });
  });

  test('waits for other effects names them', async () => {
    const { effectId } = await invoked('/reset');
    const action = await createAction(service, { ...call('/ok') });
    const { id } = (await invoke(service, action, { ...body(), dependsOn: [effectId] })).invocation;
    const workflowId = `invocation/${id}`;
    await expect
      .poll(async () => (await shown(workflowId)).details)
      .toBe(`WAITS for the effects that it depends on: ${effectId}`);
    expect(await shown(workflowId)).toMatchObject({ stage: 'awaiting_effects' });
    await service.client.workflow.getHandle(workflowId).cancel();
    expect((await shownAtTheEnd(id)).details).toMatch(/^CANCELLED \(invocation_cancelled\): /);
  });

  test('was withdrawn', async () => {
    const { workspaceId, environmentId } = service.database.tenant;
    const ref = { invocationId: newId('invocation'), workspaceId, environmentId };
    const { client, taskQueue } = service;
    const names = { actionName: 'payments.refund', environmentName: 'Development', requestId: null };
    await startInvocationWorkflow(client, ref, { ...names, eager: false, taskQueue });
    const seen = await shownAtTheEnd(ref.invocationId);
    expect(seen).toMatchObject({ stage: 'withdrawn' });
    expect(seen.details).toMatch(/^WITHDRAWN: /);
  });
});

test('a message that waits for its time has the name of its environment too', async () => {
  const sent = { url: `${target.baseUrl}/ok`, body: INPUT, delay: 1 };
  const published = await service.post('/api/v2/messages/publish', sent);
  const { messageId } = dataOf(published, z.object({ messageId: z.string() }));
  await expect
    .poll(() => service.client.workflow.getHandle(`message/${messageId}`).result())
    .toEqual({ status: 'delivered' });
  const message = { details: 'DELIVERED', stage: 'delivered', environment: 'Development' };
  expect(await shown(`message/${messageId}`)).toMatchObject(message);
  const names = new EnvironmentNames(service.deps.db);
  expect(await names.nameOf({ ...service.database.tenant, environmentId: randomUUID() })).toBeNull();
});

/** Terminates a workflow and has it started again. The new run is found by what the first was found by, which is returned. */
async function startedAgain(workflowId: string, start: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const first = await foundBy(service.client, workflowId);
  await service.client.workflow.getHandle(workflowId).terminate('an operator');
  await start();
  await expect.poll(async () => (await foundBy(service.client, workflowId)).by).toEqual(first.by);
  expect((await foundBy(service.client, workflowId)).runId).not.toBe(first.runId);
  return first.by;
}

describe('what the sweep starts has the names that its request gave it:', () => {
  test('an invocation, and the reads of an effect', async () => {
    const { tenant } = service.database;
    const { startInvocation } = service.starters;
    const { effectId } = await invoked('/reset');
    const action = await createAction(service, { ...call('/ok') });
    const waits = await invoke(service, action, { ...body(), dependsOn: [effectId] });
    const workflowId = `invocation/${waits.invocation.id}`;
    await expect.poll(async () => (await shown(workflowId)).stage).toBe('awaiting_effects');
    const again = () => startInvocation({ ...tenant, invocationId: waits.invocation.id });
    expect(await startedAgain(workflowId, again)).toMatchObject({
      Environment: 'Development',
      ActionName: action,
      Grade: 'pending',
      memo: { requestId: waits.headers.get('x-request-id') },
      summary: `${action} · Development`,
    });
    await service.client.workflow.getHandle(workflowId).cancel();

    const reads = `reconcile/${effectId}`;
    await expect.poll(async () => (await shown(reads)).details).toMatch(/^WAITS/);
    const readAgain = () => relayStarts({ ...service.deps, ...service.starters }, service.database, 'read');
    expect(await startedAgain(reads, readAgain)).toMatchObject({ Environment: 'Development', Grade: 'unknown' });
    await service.client.workflow.getHandle(reads).terminate();
  });

  test('a message that waits for its next attempt', async () => {
    const sent = { url: `${target.baseUrl}/status?status=503` };
    const published = await service.post('/api/v2/messages/publish', sent);
    const { messageId } = dataOf(published, z.object({ messageId: z.string() }));
    const workflowId = `message/${messageId}`;
    await expect.poll(async () => (await shown(workflowId)).details).toMatch(/^WAITS: the next attempt/);
    const again = () => service.starters.wakeMessage({ ...service.database.tenant, messageId });
    expect(await startedAgain(workflowId, again)).toMatchObject({
      Environment: 'Development',
      summary: `${messageId} · Development`,
    });
    await service.client.workflow.getHandle(workflowId).terminate();
  });

  test('an invocation that is started for its decided approval', async () => {
    const { id: invocationId } = await invoked('/ok', { approval: { required: true } });
    const { approvalId } = invocationIn(await service.get(`/api/v2/actions/invocations/${invocationId}`));
    await untilWatched(service, approvalId ?? '');
    const ref = { ...service.database.tenant, invocationId, approvalId: approvalId ?? '' };
    const found = await startedAgain(`invocation/${invocationId}`, async () => {
      // Its child ends with it.
      const child = service.client.workflow.getHandle(`approval/${approvalId}`);
      await expect.poll(async () => (await child.describe()).status.name).toBe('TERMINATED');
      await service.starters.wakeApproval(ref);
    });
    expect(found).toMatchObject({ Environment: 'Development', Stage: 'awaiting_approval' });
    expect(found['memo']).toHaveProperty('requestId');
    await service.client.workflow.getHandle(`invocation/${invocationId}`).terminate();
  });
});
