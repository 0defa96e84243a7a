import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import {
  type Approval,
  approvalIn,
  approve,
  deny,
  largeRefunds,
  putPolicy,
  readApproval,
  untilStatus,
} from '../api/approvals/support.ts';
import { createAction, effectOf, type Invocation, invoke } from '../api/invocations/support.ts';
import { startTarget } from '../harness/target.ts';
import type { Program } from '../harness/embedded-stack.ts';
import { sentTo } from './seen.ts';
import { type ApiProcess, Gateway, SeparateProcesses } from './separate-processes.ts';

/** SIGKILL of every API and worker process while people decide. Later processes carry out their decisions. */
const LARGE = { input: { payment: 'pay_1', amount: 60_000 } };

/** The keys of the two approvers who must agree. */
const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const gateway = await Gateway.to(processes.temporal.port);
const { database } = processes;
const [alice, bob] = await database.db.withEnvironment(database.tenant, async (tx) => [
  await createApiKey(tx, { name: 'alice', preset: 'full_access' }),
  await createApiKey(tx, { name: 'bob', preset: 'full_access' }),
]);
if (!alice || !bob) throw new Error('two keys were made');
const keys: [string, string] = [alice.key, bob.key];

interface Parked {
  url: string;
  invocation: Invocation;
  approval: Approval;
}

/** Parks an invocation and waits until its workflows wait. */
async function park(api: ApiProcess, name: string): Promise<Parked> {
  const url = `/ok?${name}`;
  const action = await createAction(
    api,
    { url: `${target.baseUrl}${url}`, body: { payment: '{{input.payment}}', amount: '{{input.amount}}' } },
    { impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }] },
  );
  const { status, invocation } = await invoke(api, action, LARGE);
  expect([status, invocation.status]).toEqual([202, 'pending_approval']);
  const approval = await readApproval(api, invocation.approvalId);
  const seen = async (): Promise<unknown> =>
    processes.database.asOwner('SELECT awaited_status FROM approvals WHERE id = $1', [approval.id]);
  await expect.poll(seen).toEqual([{ awaited_status: 'pending' }]);
  return { url, invocation, approval };
}

async function bothApprove(api: ApiProcess, { approval }: Parked): Promise<Approval> {
  const replies = await Promise.all(keys.map((key) => approve(api.as(key), approval)));
  return replies.map(approvalIn).find(({ quorum }) => quorum.received === 2) ?? approval;
}

const kill = (...programs: Program[]): Promise<unknown> =>
  Promise.all(programs.map((program) => program.end('SIGKILL')));

/** Ages it, so that the sweep counts decisions without a notification as lost. */
async function makeOld({ approval }: Pick<Parked, 'approval'>, columns: readonly string[]): Promise<void> {
  const earlier = columns.map((column) => `${column} = ${column} - interval '2 days'`).join(', ');
  await processes.database.asOwner(
    `SET session_replication_role = replica; UPDATE approvals SET ${earlier} WHERE id = '${approval.id}';
     UPDATE workflow_starts SET due_at = due_at - interval '2 days' WHERE id = '${approval.id}'`,
  );
}

/** The worker's schedule, once. */
async function sweep(): Promise<void> {
  const connection = await Connection.connect({ address: processes.temporal.address });
  await new Client({ connection }).schedule.getHandle(SWEEP_SCHEDULE_ID).trigger();
  await connection.close();
}

async function statusOf({ approval }: Pick<Parked, 'approval'>): Promise<string | undefined> {
  const rows = await processes.database.asOwner<{ status: string }>('SELECT status FROM approvals WHERE id = $1', [
    approval.id,
  ]);
  return rows[0]?.status;
}

test('approved work goes on once, denied and expired work never does', async () => {
  const [first, worker] = await Promise.all([
    processes.startApi({ TEMPORAL_ADDRESS: gateway.address }),
    processes.startWorker(),
  ]);
  await putPolicy(first, largeRefunds({}, 'test.*'));
  const [approved, half, untold, denied, expired] = await Promise.all(
    ['approved', 'half', 'untold', 'denied', 'expired'].map((name) => park(first, name)),
  );
  if (!approved || !half || !untold || !denied || !expired) throw new Error('five were parked');
  await approve(first.as(keys[0]), half.approval);

  // One approver's decisions are committed, and the process is killed before it can notify anybody.
  await kill(worker);
  gateway.block();
  const unanswered = Promise.allSettled([bothApprove(first, untold), readApproval(first, approved.approval.id, 60)]);
  await expect.poll(() => statusOf(untold)).toBe('approved');
  await kill(first.program);
  expect((await unanswered)[1]).toMatchObject({ status: 'rejected' });

  // Another API takes the decisions of the others, while no worker runs.
  const second = await processes.startApi();
  expect((await readApproval(second, half.approval.id)).quorum).toEqual({ required: 2, received: 1 });
  expect(await bothApprove(second, approved)).toMatchObject({ status: 'approved' });
  expect(approvalIn(await deny(second.as(keys[1]), denied.approval))).toMatchObject({ status: 'denied' });
  expect(approvalIn(await approve(second.as(keys[1]), half.approval)).status).toBe('approved');
  expect(await target.requests()).toEqual([]);

  await processes.startWorker();
  for (const { invocation, approval, url } of [approved, half]) {
    const done = await untilStatus(second, invocation.id, ['succeeded']);
    expect(await sentTo(target, url)).toBe(1);
    const receipt = await effectOf(second, done);
    expect(receipt).toMatchObject({ grade: 'acknowledged', bindingDigest: approval.bindingDigest });
    const agreed = receipt.evidence.find(({ details }) => details['approvalId'] === approval.id);
    expect(agreed?.details['approvers']).toHaveLength(2);
    expect(await statusOf({ approval })).toBe('consumed');
  }
  await makeOld(untold, ['decided_at']);
  await makeOld(expired, ['created_at', 'expires_at']);
  await sweep();
  await untilStatus(second, untold.invocation.id, ['succeeded']);
  expect(await untilStatus(second, expired.invocation.id, ['expired'])).toMatchObject({ grade: 'refused' });
  expect(await statusOf(expired)).toBe('expired');
  const ended = await untilStatus(second, denied.invocation.id, ['denied']);
  expect(await effectOf(second, ended)).toMatchObject({ grade: 'denied', rejectionReason: 'approval_denied' });
  const sent = await Promise.all([untold, denied, expired].map(({ url }) => sentTo(target, url)));
  expect([sent, (await target.requests()).length]).toEqual([[1, 0, 0], 3]);
});
