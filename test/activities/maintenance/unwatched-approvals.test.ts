import { expect, test } from 'vitest';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { unwatchedApprovals } from '../../../activities/maintenance/unwatched-approvals.ts';
import { ActivityWorld } from '../invocations/world.ts';

const world = await ActivityWorld.start();

test('an approval that ended after its workflow was terminated is found until the next workflow has begun, and no longer', async () => {
  const ref = await world.admit({ definition: { approval: { required: true, tag: null } } });
  const { evaluateAndReserve, watchApproval, cancelApproval } = world.activities();
  const evaluation = await evaluateAndReserve(ref);
  if (evaluation.decision !== 'wait') throw new Error(`expected a wait, not ${evaluation.decision}`);
  const { workspaceId, environmentId } = world.database.tenant;
  const { invocationId } = ref;
  const approval = { approvalId: evaluation.approvalId, invocationId, workspaceId, environmentId };
  await watchApproval(approval);
  await cancelApproval(approval); // nobody reads the row hereafter: the workflow was terminated

  /** Wakes an approval whose workflow is gone: the workflow of its invocation runs again. */
  const woken: string[] = [];
  const wakeApproval = async ({ approvalId }: { approvalId: string }): Promise<void> => {
    woken.push(approvalId);
    expect((await evaluateAndReserve(ref)).decision).toBe('ended');
  };
  const sweep = () => sweepRows(world.dependencies({ wakeApproval }), 'unwatched-approvals', unwatchedApprovals(-60));
  expect(await sweep()).toEqual({ seen: 1, failed: 0 });
  expect(woken).toEqual([approval.approvalId]);
  expect(await sweep()).toEqual({ seen: 0, failed: 0 });
});
