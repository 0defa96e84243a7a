import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApproval } from '../../../db/approvals/changes.ts';
import { addDecision } from '../../../db/approvals/decisions.ts';
import { getApproval } from '../../../db/approvals/queries.ts';
import type { ApprovalRecord } from '../../../db/approvals/records.ts';
import { releaseInvocation } from '../../../db/invocations/changes.ts';
import { newId } from '../../../domain/ids.ts';
import type { InvocationRef, InvocationState } from '../../../domain/refs.ts';
import {
  approvalWorkflowId,
  type AwaitApprovalResult,
  DECIDED_SIGNAL,
} from '../../../temporal/approvals/await-approval.ts';
import { invocationWorkflowId } from '../../../temporal/invocations/invoke-action.ts';
import { createDevServerEnvironment, createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { withTestWorker } from '../harness.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../../activities/invocations/world.ts';
import { keyPrincipal } from '../../harness/keys.ts';

/**
 * The real workflows and activities on a real database, with a time-skipping server for each test: the database's clock dates the
 * rows, and a server that has skipped a day stays ahead of it.
 */
let environment: TestWorkflowEnvironment;
const adapter = adapterThat(() => Promise.resolve(ACCEPTED));
const world = await ActivityWorld.start();
const activities = world.activities({ adapterFor: adapter.adapterFor });
beforeEach(async () => {
  environment = await createTimeSkippingEnvironment();
});
afterEach(() => environment.teardown());

/** Runs `work` while a worker runs. */
async function withWorker<T>(taskQueue: string, work: () => Promise<T>): Promise<T> {
  // Without a sticky queue: this server would keep it for a worker that is gone, and give the next one no task.
  return withTestWorker(environment, { taskQueue, activities, maxCachedWorkflows: 0 }, work);
}

interface Parked {
  ref: InvocationRef;
  taskQueue: string;
  handle: WorkflowHandle;
  approval: ApprovalRecord;
}

/** An invocation that waits for its approval, without a worker, as after a kill. */
async function park(): Promise<Parked> {
  const { invocationId, workspaceId, environmentId } = await world.admit({
    definition: { approval: { required: true, tag: null } },
  });
  const ref = { invocationId, workspaceId, environmentId };
  const taskQueue = randomUUID();
  const handle = await environment.client.workflow.start('invokeAction', {
    workflowId: invocationWorkflowId(invocationId),
    taskQueue,
    args: [ref],
  });
  const approval = await withWorker(taskQueue, () => untilWatched(invocationId));
  return { ref, taskQueue, handle, approval };
}

async function untilWatched(invocationId: string): Promise<ApprovalRecord> {
  for (;;) {
    const [row] = await world.database.asOwner<{ id: string; awaited_status: string | null }>(
      'SELECT id, awaited_status FROM approvals WHERE invocation_id = $1',
      [invocationId],
    );
    if (row?.awaited_status === 'pending') return read(row.id);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function read(approvalId: string): Promise<ApprovalRecord> {
  const approval = await world.transaction((tx) => getApproval(tx, approvalId));
  if (!approval) throw new Error(`approval ${approvalId} is gone`);
  return approval;
}

/** What the audit log has of an approval. */
const entriesOf = ({ approval }: Parked): Promise<unknown[]> =>
  world.database.asOwner('SELECT action, actor_type, details FROM audit_log WHERE target_id = $1 ORDER BY sequence', [
    approval.id,
  ]);
const endedEntry = (action: string, { approval, ref }: Parked): object => ({
  action,
  actor_type: 'system',
  details: { invocationId: ref.invocationId, bindingDigest: approval.bindingDigest },
});

/** Writes the rows that the route commits, without a notification. */
async function approve({ approval, ref }: Parked): Promise<void> {
  await world.transaction(async (tx) => {
    const principal = keyPrincipal('key_alice');
    const { id: approvalId, bindingDigest } = approval;
    await addDecision(tx, { approvalId, decision: 'approve', note: null, bindingDigest, principal, session: null });
    await releaseInvocation(tx, ref.invocationId);
  });
}

/**
 * Makes the approval thirty hours older while no worker runs. It moves the row, because this server does not skip time while a
 * task waits for a worker.
 */
async function letTimePass({ approval }: Parked): Promise<void> {
  await world.database.asOwner(
    `SET session_replication_role = replica;
     UPDATE approvals SET created_at = created_at - interval '30 hours', expires_at = expires_at - interval '30 hours'
     WHERE id = '${approval.id}'`,
  );
}

/** The result of the workflow once a worker runs again. */
const result = ({ taskQueue, handle }: Parked): Promise<InvocationState> =>
  withWorker(taskQueue, () => handle.result() as Promise<InvocationState>);
const tell = ({ approval }: Parked): Promise<void> =>
  environment.client.workflow.getHandle(approvalWorkflowId(approval.id)).signal(DECIDED_SIGNAL);

test('nobody decides: two reminders, then it is expired, and nothing is sent', async () => {
  const before = adapter.sent.length;
  const parked = await park();
  expect(await result(parked)).toMatchObject({ status: 'expired', grade: 'refused', stage: 'rejected' });
  const approval = await read(parked.approval.id);
  expect(approval).toMatchObject({ status: 'expired', remindersSent: 2 });
  const [opened, end] = [approval.createdAt.getTime(), approval.expiresAt.getTime()];
  expect((approval.lastRemindedAt?.getTime() ?? 0) - opened).toBeGreaterThanOrEqual((end - opened) * 0.9 - 1);
  const recorded = await world.recorded(parked.ref);
  expect(recorded).toMatchObject({
    invocation: { status: 'expired', error: expect.stringMatching(/^dispatch refused \(approval_expired\): /) },
    effects: [{ stage: 'rejected', rejection_reason: 'approval_expired' }],
    attempts: [],
    evidence: [
      { source: 'preview' },
      {
        source: 'system',
        implied_outcome: 'not_dispatched',
        summary: expect.stringMatching(/^nobody decided approval /),
      },
    ],
  });
  expect(await entriesOf(parked)).toEqual([endedEntry('approval.expired', parked)]);
  expect(adapter.sent).toHaveLength(before);
});

test('approved while no worker runs, and its time over when one is back: it goes on', async () => {
  const parked = await park();
  await approve(parked);
  await tell(parked);
  await letTimePass(parked);
  expect(await result(parked)).toMatchObject({ status: 'succeeded' });
  expect((await read(parked.approval.id)).status).toBe('consumed');
});

test('approved, and the word of it lost: its own timer finds it', async () => {
  const parked = await park();
  await approve(parked);
  expect(await result(parked)).toMatchObject({ status: 'succeeded' });
  expect((await read(parked.approval.id)).remindersSent).toBeLessThanOrEqual(1);
});

test('not decided, and its time over when a worker is back: expired without more reminders', async () => {
  const parked = await park();
  await letTimePass(parked);
  await tell(parked);
  expect(await result(parked)).toMatchObject({ status: 'expired' });
  expect(await read(parked.approval.id)).toMatchObject({ status: 'expired', remindersSent: 0 });
});

test.each(['the invocation', 'the approval'])('%s is cancelled in the Temporal UI: nothing is sent', async (which) => {
  const before = adapter.sent.length;
  const parked = await park();
  const child = environment.client.workflow.getHandle(approvalWorkflowId(parked.approval.id));
  await (which === 'the approval' ? child : parked.handle).cancel();
  expect(await result(parked)).toMatchObject({ status: 'cancelled', stage: 'rejected' });
  expect((await read(parked.approval.id)).status).toBe('cancelled');
  expect(await entriesOf(parked)).toEqual([endedEntry('approval.cancelled', parked)]);
  expect(await world.recorded(parked.ref)).toMatchObject({
    invocation: { status: 'cancelled' },
    effects: [{ rejection_reason: 'approval_cancelled', grade: 'refused' }],
    evidence: [{ source: 'preview' }, { summary: `cancelled while it waited for approval ${parked.approval.id}` }],
  });
  expect(adapter.sent).toHaveLength(before);
});

test('cancelled after it was approved: it goes on', async () => {
  const parked = await park();
  await approve(parked);
  await parked.handle.cancel();
  expect(await result(parked)).toMatchObject({ status: 'succeeded' });
});

test('the wait is terminated: it is taken up again', async () => {
  await environment.teardown();
  environment = await createDevServerEnvironment(); // the other server does not tell a parent that its child was terminated
  const parked = await park();
  await environment.client.workflow.getHandle(approvalWorkflowId(parked.approval.id)).terminate('by mistake');
  await approve(parked);
  expect(await result(parked)).toMatchObject({ status: 'succeeded' });
});

test('the invocation is terminated and started anew, as the sweep does it: it waits on, and goes on', async () => {
  const parked = await park();
  await parked.handle.terminate('by mistake');
  const { taskQueue, ref } = parked;
  await approve(parked);
  const handle = await environment.client.workflow.start('invokeAction', {
    workflowId: invocationWorkflowId(ref.invocationId),
    taskQueue,
    args: [ref],
  });
  expect(await result({ ...parked, handle })).toMatchObject({ status: 'succeeded' });
});

test('a free-standing approval expires by itself', async () => {
  const id = newId('approval');
  const { tenant } = world.database;
  await world.transaction((tx) =>
    openApproval(tx, {
      id,
      kind: 'free_standing',
      invocationId: null,
      effectId: null,
      previewId: null,
      actionId: null,
      title: 'Deploy',
      summary: 'Deploys version 2.',
      payload: { version: 2 },
      bindingDigest: `sha256:${'0'.repeat(64)}`,
      policy: { source: 'caller', id: null, version: null, ruleId: null, reason: 'asked for' },
      quorum: 1,
      approversOfAll: [{}],
      preventSelf: true,
      requestedBy: { type: 'api_key', id: 'key_test' },
      expiresAt: new Date(Date.now() + 7 * 86_400_000),
    }),
  );
  const taskQueue = randomUUID();
  const ended = await withWorker(taskQueue, () =>
    environment.client.workflow.execute('awaitApproval', {
      workflowId: approvalWorkflowId(id),
      taskQueue,
      args: [{ approvalId: id, invocationId: null, subject: 'free-standing', ...tenant }],
    }),
  );
  expect(ended).toEqual({ status: 'expired' } satisfies AwaitApprovalResult);
  expect(await read(id)).toMatchObject({ status: 'expired', remindersSent: 2 });
});
