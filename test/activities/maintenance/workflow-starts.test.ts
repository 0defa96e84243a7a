import { beforeEach, expect, test } from 'vitest';
import { workflowStarts } from '../../../activities/maintenance/workflow-starts.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { claimWorkflowStarts } from '../../../db/maintenance/claim-workflow-starts.ts';
import { withdrawInvocation } from '../../../db/invocations/admission.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';
import { relayStarts, startsOf } from './relay-starts.ts';

/** The outbox of workflow starts: what stands in it, and how it is relayed. */

const world = await ActivityWorld.start();
beforeEach(async () => {
  await world.database.asOwner('DELETE FROM workflow_starts');
});

/** Dependencies that record the invocations whose workflow is started. */
function recording(started: string[]) {
  return world.dependencies({
    startInvocation: ({ invocationId }) => {
      started.push(invocationId);
      return Promise.resolve();
    },
  });
}
async function relay(): Promise<string[]> {
  const started: string[] = [];
  await relayStarts(recording(started), world.database, 'invocation');
  return started.sort();
}

test('an invocation has a start from its admission until it has come to rest', async () => {
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  const { dispatchEffect, settleInvocation, judgeInvocation } = world.activities({ adapterFor });
  const admitted = await world.admit();
  const marked = await world.ready();
  const waiting = await world.admit({ dependsOn: [marked.effectId] });
  await judgeInvocation(waiting);
  const dispatched = await world.ready();
  await dispatchEffect(dispatched);
  const settled = await world.ready();
  await dispatchEffect(settled);
  await settleInvocation(settled);
  const failed = await world.ready();
  await settleInvocation(failed);
  const withdrawn = await world.admit();
  await world.transaction((tx) => withdrawInvocation(tx, withdrawn.invocationId));

  expect(await relay(), 'keep_start_of_invocations() must follow the status of the invocation').toEqual(
    [admitted, marked, waiting, dispatched].map(({ invocationId }) => invocationId).sort(),
  );
});

test('a start is due half a minute after the admission, and again a minute after each relay', async () => {
  const { invocationId } = await world.admit();
  const dueIn = async (): Promise<number | undefined> =>
    (
      await world.database.asOwner<{ s: number }>(
        'SELECT extract(epoch FROM due_at - now())::float8 AS s FROM workflow_starts WHERE id = $1',
        [invocationId],
      )
    )[0]?.s;
  expect(await dueIn()).toBeGreaterThan(20);
  expect(await dueIn()).toBeLessThanOrEqual(30);
  const started: string[] = [];
  await sweepRows(recording(started), 'workflow-starts', workflowStarts);
  expect(started).toEqual([]);
  expect(await relay()).toEqual([invocationId]);
  expect(await dueIn()).toBeGreaterThan(50);
});

test('two relays at once start each workflow once', async () => {
  const admitted: string[] = [];
  for (let i = 0; i < 60; i++) admitted.push((await world.admit()).invocationId);
  await world.database.asOwner('UPDATE workflow_starts SET due_at = now()');
  const started: string[] = [];
  await Promise.all(Array.from({ length: 2 }, () => sweepRows(recording(started), 'workflow-starts', workflowStarts)));
  expect(started.sort(), 'claim_workflow_starts() must skip the rows that another relay claims').toEqual(
    admitted.sort(),
  );
});

test('a claim takes those that were just lost beside those that wait longest, so that none is left out', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) ids.push((await world.admit()).invocationId);
  const claim = async (): Promise<string[]> =>
    (await claimWorkflowStarts(world.database.db, { againInSeconds: -60, most: 2 })).map(({ id }) => id);
  await world.database.asOwner(
    `UPDATE workflow_starts SET claimed = true, due_at = now() - interval '2 hours' - position_in * interval '1 second'
     FROM unnest($1::text[]) WITH ORDINALITY AS w (lost, position_in) WHERE id = lost`,
    [ids.slice(0, 5)],
  );
  const lost = ids[5] ?? '';
  await world.database.asOwner(`UPDATE workflow_starts SET due_at = now() WHERE id = $1`, [lost]);
  expect(await claim()).toEqual([...ids.slice(3, 5), lost].sort());
  expect(await claim()).toEqual(ids.slice(1, 3).sort());
  expect(await claim()).toContain(ids[0]);
});

test('what is read back until its outcome is known has the start of its reads, and none of its invocation', async () => {
  const { adapterFor } = adapterThat(() => Promise.resolve({ kind: 'no_answer', reason: 'it was lost' }));
  const ref = await world.ready();
  await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
  expect(await startsOf(world.database, 'invocation')).toEqual([]);
  expect(await startsOf(world.database, 'read')).toEqual([ref.effectId]);
});

test('an approval that ended after its workflow was terminated is woken until the next workflow has begun, and no longer', async () => {
  const ref = await world.admit({ definition: { approval: { required: true, tag: null } } });
  const { judgeInvocation, watchApproval, cancelApproval } = world.activities();
  const evaluation = await judgeInvocation(ref);
  if (evaluation.next !== 'ask_for_approval') throw new Error(`expected a wait, not ${evaluation.next}`);
  expect(await startsOf(world.database, 'invocation')).toEqual([]); // it waits for people
  const { workspaceId, environmentId } = world.database.tenant;
  const approval = { approvalId: evaluation.approvalId, invocationId: ref.invocationId, workspaceId, environmentId };
  await watchApproval(approval);
  const dueAtExpiry = `SELECT s.due_at > a.expires_at AS due FROM workflow_starts s JOIN approvals a ON a.id = s.id`;
  expect(await world.database.asOwner(dueAtExpiry)).toEqual([{ due: true }]);
  await cancelApproval(approval); // nobody reads the row hereafter: the workflow was terminated

  /** Wakes an approval whose workflow is gone: the workflow of its invocation runs again. */
  const woken: unknown[] = [];
  const wakeApproval = async (woke: unknown): Promise<void> => {
    woken.push(woke);
    expect((await judgeInvocation(ref)).next).toBe('ended');
  };
  const sweep = () => relayStarts(world.dependencies({ wakeApproval }), world.database, 'approval');
  expect(await sweep()).toEqual({ seen: 1, failed: 0 });
  expect(woken).toEqual([approval]);
  expect(await sweep()).toEqual({ seen: 0, failed: 0 });
});
