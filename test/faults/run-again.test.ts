import { WorkflowIdReusePolicy } from '@temporalio/client';
import { expect, test } from 'vitest';
import { INVOKE_ACTION_WORKFLOW, invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import { createAction, effectOf, invoke } from '../api/invocations/support.ts';
import { startTestService } from '../harness/service.ts';
import { startTarget } from '../harness/target.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

test('a workflow whose first run is past its retention is run again: nothing is sent, the reconciliation goes on', async () => {
  const action = await createAction(service, { url: `${target.baseUrl}/orders?answer=reset` });
  const { invocation } = await invoke(service, action);
  expect(invocation).toMatchObject({ status: 'unknown' });
  const workflowId = invocationWorkflowId(invocation.id);
  await service.client.workflow.getHandle(workflowId).result();
  const reconciliation = service.client.workflow.getHandle(`reconcile/${invocation.effectId}`);
  const { runId } = await reconciliation.describe();

  // The sweep's own start finds no run any more, once retention took it away; this policy simulates that.
  const again = await service.client.workflow.execute(INVOKE_ACTION_WORKFLOW, {
    workflowId,
    taskQueue: service.taskQueue,
    args: [{ ...service.database.tenant, invocationId: invocation.id }],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  });
  expect(again).toMatchObject({ status: 'unknown', stage: 'reconciling' });
  expect(await reconciliation.describe()).toMatchObject({ runId, status: { name: 'RUNNING' } });
  expect(await effectOf(service, invocation)).toMatchObject({ stage: 'reconciling', outcome: 'unknown' });
  expect(await target.requests('/orders')).toHaveLength(1);
});
