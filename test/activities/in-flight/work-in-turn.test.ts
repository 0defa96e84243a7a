import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { ACTIVITIES_OF_QUEUES } from '../../../activities/create-worker.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import { workInTurn, type WorkKind } from '../../../activities/in-flight/work-in-turn.ts';
import { type Activities, createActivities } from '../../../activities/index.ts';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { holderOf } from '../../../domain/in-flight.ts';
import { everyCap } from '../../harness/in-flight-caps.ts';
import { ActivityWorld } from '../invocations/world.ts';

/** Notifications and maintenance of a workspace are capped by places that their activities hold from beginning to end. */

const world = await ActivityWorld.start();
const { tenant } = world.database;
beforeEach(() => world.database.asOwner('DELETE FROM lane_places'));

const NO_PLACE = { seen: 'no_place' };

/** Runs an activity as the worker would for this workflow. */
function runFor<Args extends unknown[], Result>(
  workflowId: string,
  activityType: string,
  activity: (...args: Args) => Promise<Result>,
  ...args: Args
): Promise<Result> {
  const workflowExecution = { workflowId, runId: 'run' };
  const environment = new MockActivityEnvironment({ workflowExecution, activityType, startToCloseTimeoutMs: 60_000 });
  return environment.run(activity, ...args) as Promise<Result>;
}

const places = () =>
  world.database.asOwner<{ kind: string; holder: string; taken: boolean }>(
    'SELECT kind, holder, is_taken AS taken FROM lane_places ORDER BY asked_at, holder',
  );

function dependencies(caps: number): ActivityDependencies & { told: string[] } {
  const told: string[] = [];
  const tellWaiter = (kind: string, holder: string): Promise<boolean> => {
    told.push(`${kind}/${holder}`);
    return Promise.resolve(true);
  };
  const laneTakers = new LaneTakers({ nearWaitsMs: null });
  return Object.assign(world.dependencies({ inFlightCaps: everyCap(caps), laneTakers, tellWaiter }), { told });
}

/** Work that goes on until it is ended. */
function work(deps: ActivityDependencies, kind: WorkKind = 'maintenance') {
  const ends: { succeed: () => void; fail: () => void }[] = [];
  const until = (_tenant: Tenant, what: string): Promise<string> =>
    new Promise((resolve, reject) => {
      ends.push({ succeed: () => resolve(what), fail: () => reject(new Error(what)) });
    });
  const inTurn = workInTurn(deps, kind, until);
  return {
    begun: ends,
    start: (workflowId: string) => runFor(workflowId, 'page', inTurn, tenant, `done for ${workflowId}`),
  };
}

describe('an activity that holds a place', () => {
  test('begins within the cap of its workspace; over it nothing is done, and the end of one tells the next', async () => {
    const deps = dependencies(2);
    const { begun, start } = work(deps);
    const [first, second] = [start('event/1'), start('event/2')];
    await expect.poll(() => begun).toHaveLength(2);
    expect(await start('event/3')).toMatchObject(NO_PLACE);
    expect(begun).toHaveLength(2);
    expect(deps.told).toEqual([]);
    begun[0]?.succeed();
    begun[1]?.succeed();
    expect([await first, await second]).toEqual(['done for event/1', 'done for event/2']);
    expect(deps.told).toEqual(['maintenance/event/3#page']);
    expect(await places()).toEqual([{ kind: 'maintenance', holder: 'event/3#page', taken: true }]);
    const third = start('event/3');
    await expect.poll(() => begun).toHaveLength(3);
    begun[2]?.succeed();
    expect(await third).toBe('done for event/3');
    expect(await places()).toEqual([]);
  });

  test('releases it where it fails: another one has its turn before it runs again', async () => {
    const deps = dependencies(1);
    const { begun, start } = work(deps);
    const failing = start('event/1');
    failing.catch(() => undefined);
    await expect.poll(() => begun).toHaveLength(1);
    expect(await start('event/2')).toMatchObject(NO_PLACE);
    begun[0]?.fail();
    await expect(failing).rejects.toThrow('done for event/1');
    expect(deps.told).toEqual(['maintenance/event/2#page']);
    expect(await start('event/1')).toMatchObject(NO_PLACE);
  });

  test('finds, run again after a crash, the place of the run before it', async () => {
    const deps = dependencies(1);
    const { begun, start } = work(deps);
    const crashed = start('event/1');
    await expect.poll(() => begun).toHaveLength(1);
    const again = start('event/1');
    await expect.poll(() => begun).toHaveLength(2);
    for (const { succeed } of begun) succeed();
    expect([await again, await crashed]).toEqual(['done for event/1', 'done for event/1']);
    expect(await places()).toEqual([]);
  });

  test('has done what it did where the place cannot be released, and finds that place again', async () => {
    const ref = { ...tenant, jobId: newId('memoryJob'), kind: 'forget' } as const;
    const caps = { inFlightCaps: everyCap(1) };
    const losses = [null, null, 'before_commit', 'before_commit', 'before_commit'] as const;
    const { forgetMemoryPage } = world.losing(losses, caps);
    const gone = { next: 'end', status: 'succeeded' };
    expect(await runFor('memory-job/1', 'forgetMemoryPage', forgetMemoryPage, ref)).toEqual(gone);
    const holder = holderOf('memory-job/1', 'forgetMemoryPage');
    expect(await places()).toEqual([{ kind: 'maintenance', holder, taken: true }]);
    const later = world.activities(caps).forgetMemoryPage;
    expect(await runFor('memory-job/1', 'forgetMemoryPage', later, ref)).toEqual(gone);
    expect(await places()).toEqual([]);
  });
});

describe('without a place nothing begins:', () => {
  /** Places are of environments. An invoice is a workspace's, one a month. */
  const OF_NO_ENVIRONMENT = ['listSweepAreas', 'sweepArea', 'collectInvoice'];
  const { notifications, maintenance } = ACTIVITIES_OF_QUEUES;
  const named = [
    ...notifications.map((name) => ['notification', name] as const),
    ...maintenance.filter((name) => !OF_NO_ENVIRONMENT.includes(name)).map((name) => ['maintenance', name] as const),
  ];

  test.each(named)('%s %s', async (kind, name) => {
    const activities = createActivities(dependencies(0));
    const activity = activities[name] as (ref: object, more: unknown) => Promise<unknown>;
    const ref = { ...tenant, integrationId: 'int_1' };
    expect(await runFor('workflow/1', name, activity, ref, [])).toMatchObject(NO_PLACE);
    const part = name === ('postApproval' satisfies keyof Activities) ? `${name}/int_1` : name;
    expect(await places()).toEqual([{ kind, holder: `workflow/1#${part}`, taken: false }]);
  });
});
