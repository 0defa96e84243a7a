import { describe, expect, test } from 'vitest';
import { workflowStarts } from '../../../activities/maintenance/workflow-starts.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { admitInvocation } from '../../../db/invocations/admission.ts';
import { getAction } from '../../../db/actions/queries.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { newId } from '../../../domain/ids.ts';
import { plantKeys } from '../../harness/keys.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { startTestApi } from '../harness/test-api.ts';
import { createAction, errorOf, invocationIn, invocationsIn, invoke } from './support.ts';
import { closedPort } from '../harness/closed-port.ts';
import { countRows } from '../harness/count-rows.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const invocationRows = (): Promise<number> => countRows(service.database, 'invocations');

describe('Temporal is away', () => {
  test('invoke answers 503, leaves nothing behind, and the same request succeeds when it is back', async () => {
    const cutOff = await startTestApi({
      database: service.database,
      temporalAddress: `127.0.0.1:${await closedPort()}`,
      taskQueue: service.taskQueue,
    });
    try {
      const action = await createAction(service, { url: `${target.baseUrl}/ok` });
      const before = await invocationRows();
      const headers = { 'Idempotency-Key': 'while-away' };
      const reply = await cutOff.call('POST', `/api/v2/actions/${action}/invoke`, {
        key: service.key,
        body: { input: {} },
        headers,
      });
      expect(reply.status).toBe(503);
      expect(errorOf(reply)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(await invocationRows()).toBe(before);
      const { status, invocation } = await invoke(service, action, { input: {} }, headers);
      expect(status).toBe(200);
      expect(invocation.status).toBe('succeeded');
      expect(await target.requests('/ok')).toHaveLength(1);
    } finally {
      await cutOff.close();
    }
  });
});

describe('an API process died between the admission and the start', () => {
  async function admitOnly(action: string, operationKey: string): Promise<string> {
    const { tenant } = service.database;
    const keyId = newId('apiKey');
    await plantKeys(service.database, tenant, [keyId]);
    return service.database.db.withEnvironment(tenant, async (tx) => {
      const found = await getAction(tx, action);
      if (!found) throw new Error('the action was made');
      const { id } = await admitInvocation(tx, {
        actionId: found.id,
        versionId: found.currentVersion.id,
        operationKey,
        requestDigest: 'sha256:0',
        input: {},
        requestedBy: { type: 'api_key', id: keyId },
        retryOf: null,
        runId: null,
        agentId: null,
      });
      return id;
    });
  }

  test('the sweep finds it and starts it; a second sweep changes nothing', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const id = await admitOnly(action, 'lost-start');
    const deps = { ...service.deps, ...service.starters };
    const sweep = async (): Promise<number> => (await relayStarts(deps, service.database, 'invocation')).seen;
    expect((await sweepRows(deps, 'workflow-starts', workflowStarts)).seen).toBe(0); // too young to count as lost
    expect(await sweep()).toBe(1);
    const status = async () => invocationIn(await service.get(`/api/v2/actions/invocations/${id}`)).status;
    await expect.poll(status).toBe('succeeded');
    expect(await sweep()).toBe(0);
    expect(await target.requests('/ok')).toHaveLength(1);
  });
});

describe('the workflow was terminated by an operator while its destination hung', () => {
  test('it is run again, finds the fence, sends nothing, and the outcome is unknown', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/hang` }, { timeoutMs: 60_000 });
    const waiting = invoke(service, action, { input: {}, operationKey: 'terminated' });
    await expect.poll(async () => (await target.requests('/hang')).length).toBe(1);
    const list = await service.get('/api/v2/actions/invocations?status=dispatching');
    const [running] = invocationsIn(list);
    if (!running) throw new Error('one is being dispatched');
    await service.client.workflow.getHandle(`invocation/${running.id}`).terminate('an operator');
    const { workspaceId, environmentId } = service.database.tenant;
    await service.starters.startInvocation({ invocationId: running.id, workspaceId, environmentId });
    const { invocation } = await waiting;
    expect(invocation).toMatchObject({ id: running.id, status: 'unknown', grade: 'unknown' });
    expect(await target.requests('/hang')).toHaveLength(1);
    await target.release();
    // The first worker was cut off, not dead. Its answer is late evidence, which reconciliation uses.
    const grade = async () => invocationIn(await service.get(`/api/v2/actions/invocations/${running.id}`)).grade;
    await expect.poll(grade, { interval: 200 }).toBe('acknowledged');
    expect(await target.requests('/hang')).toHaveLength(1);
  });
});
