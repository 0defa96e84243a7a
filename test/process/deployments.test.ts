import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { current, keep, move, prune, ramp, rollback, status } from '../../process/deployments/deploy.ts';
import { LOOK_MS_MAX, watchOwnVersion } from '../../process/deployments/own-version.ts';

/** What `npm run deploy` and the processes ask of Temporal. A Worker Deployment on Temporal itself is in test/faults/deploy. */

const STATES = { inactive: 1, current: 2, ramping: 3, draining: 4, drained: 5, created: 6 };

interface Version {
  buildId: string;
  state: keyof typeof STATES;
  /** Left out: as old as all others. */
  createdSeconds?: number;
  lastCurrentSeconds?: number;
  /** Ids of its open workflows. */
  open?: string[];
  hasPollers?: boolean;
}

/** A workflow that ignores its pin: it is on its way to another version. */
interface OnItsWay {
  to: string;
  /** Why its last task failed. Left out: that task is not at its end. */
  cause?: number;
  /** Looks before its started call has ended. */
  looksUntilIdle?: number;
}

const NONDETERMINISM = 24;
const TIMED_OUT_QUERY = 26;

/** Temporal's answers about one deployment, and what it was asked to change, in order. */
class FakeTemporal {
  readonly asked: string[] = [];
  isAway = false;
  /** By workflow id. */
  readonly onTheirWay: Record<string, OnItsWay> = {};
  private readonly pinned = new Set<string>();
  private readonly versions: Version[];
  private readonly fresh: boolean;

  constructor(versions: Version[], { isNew = false } = {}) {
    this.versions = versions;
    this.fresh = isNew;
  }

  get client(): Client {
    const service = {
      describeWorkerDeployment: () => this.describe(),
      setWorkerDeploymentCurrentVersion: async ({ buildId }: { buildId: string }) => {
        this.asked.push(`current ${buildId}`);
        for (const version of this.versions) {
          if (version.state === 'current') version.state = 'draining';
          if (version.buildId === buildId) version.state = 'current';
        }
      },
      setWorkerDeploymentRampingVersion: async (request: { buildId: string; percentage: number }) => {
        this.asked.push(`ramp ${request.buildId || 'nobody'} ${request.percentage}`);
      },
      deleteWorkerDeploymentVersion: async (request: { deploymentVersion: { buildId: string } }) => {
        const { buildId } = request.deploymentVersion;
        if (this.versionOf(buildId)?.hasPollers === true) throw new Error('version has active pollers');
        this.asked.push(`delete ${buildId}`);
      },
      updateWorkflowExecutionOptions: async (request: {
        workflowExecution: { workflowId: string };
        workflowExecutionOptions: { versioningOverride: { pinned?: { version: { buildId: string } } } };
      }) => {
        const { pinned } = request.workflowExecutionOptions.versioningOverride;
        const { workflowId } = request.workflowExecution;
        if (pinned && this.onTheirWay[workflowId] === undefined) this.pinned.add(workflowId);
        this.asked.push(`${workflowId} to ${pinned?.version.buildId ?? 'the current one'}`);
      },
      ...this.ofOneWorkflow(),
    };
    const workflow = {
      count: async (query: string) => ({ count: this.openOf(query).length }),
      list: ({ query }: { query: string }) => this.listed(query),
    };
    return { options: { namespace: 'default' }, workflowService: service, workflow } as unknown as Client;
  }

  begin(buildId: string, workflowId: string): void {
    this.versionOf(buildId)?.open?.push(workflowId);
  }

  private ofOneWorkflow() {
    type Request = { execution: { workflowId: string } };
    return {
      describeWorkflowExecution: async ({ execution }: Request) => {
        const way = this.onTheirWay[execution.workflowId];
        if (way === undefined) return { workflowExecutionInfo: {}, pendingActivities: [] };
        const { looksUntilIdle = 0 } = way;
        const isCalling = looksUntilIdle > 0;
        if (isCalling) way.looksUntilIdle = looksUntilIdle - 1;
        const deploymentVersion = { deploymentName: 'agent-actions', buildId: way.to };
        return {
          workflowExecutionInfo: { versioningInfo: { versionTransition: { deploymentVersion } } },
          pendingActivities: isCalling ? [{}] : [],
        };
      },
      getWorkflowExecutionHistoryReverse: async ({ execution }: Request) => {
        const cause = this.onTheirWay[execution.workflowId]?.cause;
        const failed = { eventId: 15, workflowTaskFailedEventAttributes: { cause } };
        const completed = { eventId: 4, workflowTaskCompletedEventAttributes: {} };
        return { history: { events: [{ eventId: 16 }, ...(cause === undefined ? [] : [failed]), completed] } };
      },
      resetWorkflowExecution: async (request: {
        workflowExecution: { workflowId: string };
        workflowTaskFinishEventId: number;
        postResetOperations: [
          {
            updateWorkflowOptions: {
              workflowExecutionOptions: { versioningOverride: { pinned: { version: { buildId: string } } } };
            };
          },
        ];
      }) => {
        const { workflowId } = request.workflowExecution;
        const [{ updateWorkflowOptions }] = request.postResetOperations;
        const { buildId } = updateWorkflowOptions.workflowExecutionOptions.versioningOverride.pinned.version;
        delete this.onTheirWay[workflowId];
        this.pinned.add(workflowId);
        this.asked.push(`${workflowId} again from ${request.workflowTaskFinishEventId}, on ${buildId}`);
      },
    };
  }

  private versionOf(buildId: string): Version | undefined {
    return this.versions.find((version) => version.buildId === buildId);
  }

  private openOf(query: string): string[] {
    const [, buildId = ''] = /'agent-actions:([^']+)'/.exec(query) ?? [];
    const open = this.versionOf(buildId)?.open ?? [];
    return query.includes("= 'AutoUpgrade'") ? open.filter((workflowId) => !this.pinned.has(workflowId)) : open;
  }

  private async *listed(query: string) {
    for (const workflowId of this.openOf(query)) yield { workflowId, runId: `run of ${workflowId}` };
  }

  private async describe() {
    if (this.isAway) throw new Error('away');
    if (this.versions.length === 0) throw Object.assign(new Error('not found'), { code: 5 });
    const named = (state: Version['state']) => {
      const found =
        this.fresh && this.asked.length === 0 ? undefined : this.versions.find((one) => one.state === state);
      return found === undefined ? null : { buildId: found.buildId, deploymentName: 'agent-actions' };
    };
    return {
      conflictToken: new Uint8Array(),
      workerDeploymentInfo: {
        routingConfig: {
          currentDeploymentVersion: named('current'),
          rampingDeploymentVersion: named('ramping'),
          rampingVersionPercentage: 10,
        },
        versionSummaries: this.versions.map(
          ({ buildId, state, createdSeconds = 1_700_000_000, lastCurrentSeconds }) => ({
            deploymentVersion: { buildId },
            status: STATES[state],
            createTime: { seconds: createdSeconds },
            lastCurrentTime: lastCurrentSeconds === undefined ? null : { seconds: lastCurrentSeconds },
          }),
        ),
      },
    };
  }
}

const TWO: Version[] = [
  { buildId: '2.1.0', state: 'current', createdSeconds: 1_800_000_000, open: ['invocation/new'] },
  { buildId: '2.0.0', state: 'draining', lastCurrentSeconds: 20 },
  { buildId: '1.9.0', state: 'drained', lastCurrentSeconds: 10 },
];
const two = (): FakeTemporal => new FakeTemporal(structuredClone(TWO));

/** Runs what waits between its rounds. */
async function atOnce<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  await vi.runAllTimersAsync();
  return work;
}

describe('npm run deploy', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('shows each version with its state and its open workflows', async () => {
    const lines = (await status(two().client)).split('\n');
    expect(lines.map((line) => line.split('\t').slice(0, 3))).toEqual([
      ['2.1.0', 'current', '1 open'],
      ['2.0.0', 'draining', '0 open'],
      ['1.9.0', 'drained', '0 open'],
    ]);
  });

  test('says what to do where no worker has a build id', async () => {
    expect(await status(new FakeTemporal([]).client)).toContain('WORKER_BUILD_ID');
    await expect(current(new FakeTemporal([]).client, '2.0.0', false)).rejects.toThrow('WORKER_BUILD_ID');
  });

  test('rolls back to the version that was current last, and pins what the newer one began', async () => {
    const temporal = two();
    expect(await atOnce(rollback(temporal.client, null))).toContain(
      '2.0.0 takes new work. 1 open workflows stay with 2.1.0',
    );
    expect(temporal.asked).toEqual(['invocation/new to 2.1.0', 'current 2.0.0']);
  });

  test('rolls a ramp back by ending it, and the current version stays', async () => {
    const temporal = new FakeTemporal([
      { buildId: '2.0.0', state: 'current' },
      { buildId: '2.1.0', state: 'ramping', open: ['invocation/new'] },
    ]);
    expect(await atOnce(rollback(temporal.client, null))).toContain('2.0.0 takes new work.');
    expect(temporal.asked).toEqual(['invocation/new to 2.1.0', 'ramp nobody 0']);
  });

  test('resets a workflow whose pin Temporal ignores because the code before failed its task', async () => {
    const temporal = two();
    temporal.onTheirWay['invocation/new'] = { to: '2.0.0', cause: NONDETERMINISM };
    expect(await atOnce(rollback(temporal.client, null))).toMatch(/1 open workflows stay with 2\.1\.0: [^.]+\.$/);
    expect(temporal.asked).toEqual([
      'invocation/new to 2.1.0',
      'current 2.0.0',
      'invocation/new again from 15, on 2.1.0',
    ]);
  });

  test('resets no workflow during its call, which would become unknown', async () => {
    const temporal = two();
    const way = { to: '2.0.0', cause: NONDETERMINISM, looksUntilIdle: 3 };
    temporal.onTheirWay['invocation/new'] = way;
    await atOnce(rollback(temporal.client, null));
    expect(way.looksUntilIdle).toBe(0);
    expect(temporal.asked.at(-1)).toBe('invocation/new again from 15, on 2.1.0');
  });

  test.each([
    ['has not ended', {}],
    ['failed for another reason', { cause: TIMED_OUT_QUERY }],
  ])('resets no workflow whose task %s, and says what is left', async (_what, task) => {
    const temporal = two();
    temporal.onTheirWay['invocation/new'] = { to: '2.0.0', ...task };
    expect(await atOnce(rollback(temporal.client, null))).toContain('run `keep 2.1.0` in a minute');
    expect(temporal.asked).toEqual(['invocation/new to 2.1.0', 'current 2.0.0']);
  });

  test('finds what a process began that did not know of the rollback yet', async () => {
    const temporal = two();
    const rolledBack = rollback(temporal.client, null);
    await vi.advanceTimersByTimeAsync(LOOK_MS_MAX);
    temporal.begin('2.1.0', 'invocation/late');
    expect(await atOnce(rolledBack)).toContain('2 open workflows stay with 2.1.0');
    expect(temporal.asked.at(-1)).toBe('invocation/late to 2.1.0');
  });

  test('keeps the workflows of a version after a rollback that was cut off, and of none that takes new work', async () => {
    const temporal = new FakeTemporal([
      { buildId: '2.0.0', state: 'current' },
      { buildId: '2.1.0', state: 'draining', open: ['invocation/new'] },
    ]);
    expect(await atOnce(keep(temporal.client, '2.1.0'))).toContain('1 open workflows stay with 2.1.0');
    expect(temporal.asked).toEqual(['invocation/new to 2.1.0']);
    await expect(keep(temporal.client, '2.0.0')).rejects.toThrow('takes new work');
  });

  test('rolls back again to what is older, never to what the first rollback took away', async () => {
    const versions: Version[] = [
      { buildId: '2.1.0', state: 'draining', createdSeconds: 30, lastCurrentSeconds: 50 },
      { buildId: '2.0.0', state: 'current', createdSeconds: 20, lastCurrentSeconds: 60 },
      { buildId: '1.9.0', state: 'drained', createdSeconds: 10, lastCurrentSeconds: 40 },
    ];
    const temporal = new FakeTemporal(structuredClone(versions));
    expect(await atOnce(rollback(temporal.client, null))).toContain('1.9.0 takes new work.');
    const oldest = new FakeTemporal(structuredClone(versions.slice(0, 2)));
    await expect(rollback(oldest.client, null)).rejects.toThrow('There is no version to go back to. Name one');
  });

  test('refuses a rollback without a version before, and a ramp of nothing', async () => {
    const only = new FakeTemporal([{ buildId: '2.0.0', state: 'current' }]);
    await expect(rollback(only.client, null)).rejects.toThrow('There is no version to go back to');
    await expect(ramp(only.client, '2.1.0', 0)).rejects.toThrow('rollback');
    expect(only.asked).toEqual([]);
  });

  test('moves the open workflows of a version without workers, and never those of the current one', async () => {
    const temporal = new FakeTemporal([
      { buildId: '2.1.0', state: 'current' },
      { buildId: '2.0.0', state: 'draining', open: ['event/evt_1', 'event/evt_2'] },
    ]);
    expect(await atOnce(move(temporal.client, '2.0.0'))).toContain('2 open workflows of 2.0.0');
    expect(temporal.asked).toEqual(['event/evt_1 to the current one', 'event/evt_2 to the current one']);
    await expect(move(temporal.client, '2.1.0')).rejects.toThrow('is the current version');
  });

  test('prunes what is drained and has no workers, and says why it keeps the rest', async () => {
    const temporal = new FakeTemporal([
      { buildId: '2.1.0', state: 'current' },
      { buildId: '2.0.0', state: 'draining' },
      { buildId: '1.9.0', state: 'drained' },
      { buildId: '1.8.0', state: 'drained', hasPollers: true },
    ]);
    expect((await prune(temporal.client)).split('\n')).toEqual([
      '1.9.0: deleted',
      '1.8.0: kept: version has active pollers',
    ]);
    expect(temporal.asked).toEqual(['delete 1.9.0']);
  });
});

describe('the version of a process', () => {
  const logger = pino({ level: 'silent' });
  const watch = (temporal: FakeTemporal, buildId: string | null) => {
    const version = watchOwnVersion(temporal.client, buildId, logger);
    onTestFinished(() => version.stop());
    return version;
  };

  test('begins workflows itself without a build id', () => {
    expect(watch(new FakeTemporal([]), null).mayBegin()).toBe(true);
  });

  test('makes itself the current one where none is yet', async () => {
    const temporal = new FakeTemporal([{ buildId: '2.0.0', state: 'current' }], { isNew: true });
    const version = watch(temporal, '2.0.0');
    expect(version.mayBegin()).toBe(false);
    await expect.poll(() => version.mayBegin()).toBe(true);
    expect(temporal.asked).toEqual(['current 2.0.0']);
  });

  test('begins none while another one is current, and changes nothing', async () => {
    const temporal = two();
    const [newest, before] = [watch(temporal, '2.1.0'), watch(temporal, '2.0.0')];
    await expect.poll(() => newest.mayBegin()).toBe(true);
    expect(before.mayBegin()).toBe(false);
    expect(temporal.asked).toEqual([]);
  });

  test('begins none once Temporal does not say', async () => {
    const temporal = two();
    const version = watch(temporal, '2.1.0');
    await expect.poll(() => version.mayBegin()).toBe(true);
    temporal.isAway = true;
    await expect.poll(() => version.mayBegin()).toBe(false);
  });
});
