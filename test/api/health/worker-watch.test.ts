import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { SILENT_MS_MAX, WorkerWatch } from '../../../api/health/worker-watch.ts';

/** Temporal as the watch sees it, on a clock of the test. Times are those of the server. */
class World {
  nowMs = 1_000_000_000;
  isAway = false;
  polledAtMs: number[] = [];
  /** Null when the server does not support heartbeats. */
  heartbeats: { atMs: number; status: number }[] | null = [];
  task: { state: number; scheduledAtMs: number } | null = null;
  readonly watch: WorkerWatch;

  constructor() {
    const answer = <T>(value: () => T): Promise<T> =>
      this.isAway ? Promise.reject(new Error('14 UNAVAILABLE')) : Promise.resolve(value());
    const client = {
      options: { namespace: 'default' },
      withDeadline: (_deadline: number, ask: () => Promise<unknown>) => ask(),
      workflowService: {
        describeTaskQueue: () =>
          answer(() => ({ pollers: this.polledAtMs.map((atMs) => ({ lastAccessTime: timestamp(atMs) })) })),
        listWorkers: () =>
          answer(() => {
            if (this.heartbeats === null) throw Object.assign(new Error('12 UNIMPLEMENTED'), { code: 12 });
            return {
              workersInfo: this.heartbeats.map(({ atMs, status }) => ({
                workerHeartbeat: { status, heartbeatTime: timestamp(atMs) },
              })),
            };
          }),
      },
      workflow: {
        getHandle: () => ({
          describe: () =>
            answer(() => ({
              raw: {
                pendingWorkflowTask: this.task && {
                  state: this.task.state,
                  scheduledTime: timestamp(this.task.scheduledAtMs),
                },
              },
            })),
        }),
      },
    };
    this.watch = new WorkerWatch({
      temporal: client as unknown as Client,
      taskQueue: 'queue',
      polls: 'workflows',
      logger: pino({ level: 'silent' }),
      now: () => this.nowMs,
    });
  }

  /** Advances the clock and polls every five seconds; `live` is what the workers do during that time. */
  async pass(ms: number, live: () => void = () => undefined): Promise<void> {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs;) {
      this.nowMs += 5_000;
      live();
      await this.watch.look();
    }
  }
}

const timestamp = (atMs: number) => ({ seconds: Math.floor(atMs / 1_000), nanos: (atMs % 1_000) * 1e6 });
const RUNNING = 1;
const SHUTTING_DOWN = 2;
const SCHEDULED = 1;
const STARTED = 2;

describe('whether a worker takes up invocations', () => {
  test('is unknown until Temporal was asked, and none where it knows of nobody', async () => {
    const world = new World();
    expect(world.watch.state).toBe('unknown');
    expect(await world.watch.look()).toBe('none');
  });

  test('an idle worker is up: its poll stays open for a minute, its heartbeats go on', async () => {
    const world = new World();
    const polledAtMs = world.nowMs;
    world.polledAtMs = [polledAtMs];
    await world.pass(59_000, () => {
      world.heartbeats = [{ atMs: world.nowMs - 4_000, status: RUNNING }];
    });
    expect(world.watch.state).toBe('up');
  });

  test('a killed worker is gone after thirty seconds without a sign of life', async () => {
    const world = new World();
    world.polledAtMs = [world.nowMs];
    world.heartbeats = [{ atMs: world.nowMs, status: RUNNING }];
    await world.watch.look();
    await world.pass(SILENT_MS_MAX);
    expect(world.watch.state).toBe('up');
    await world.pass(5_000);
    expect(world.watch.state).toBe('none');
    world.heartbeats = [{ atMs: world.nowMs, status: RUNNING }];
    expect(await world.watch.look()).toBe('up');
  });

  test('a worker that shuts down gives no sign of life', async () => {
    const world = new World();
    world.polledAtMs = [world.nowMs];
    await world.pass(SILENT_MS_MAX + 5_000, () => {
      world.heartbeats = [{ atMs: world.nowMs, status: SHUTTING_DOWN }];
    });
    expect(world.watch.state).toBe('none');
  });

  test('without heartbeats, an open poll counts for the minute that it lasts', async () => {
    const world = new World();
    world.heartbeats = null;
    world.polledAtMs = [world.nowMs];
    await world.watch.look();
    await world.pass(90_000);
    expect(world.watch.state).toBe('up');
    await world.pass(5_000);
    expect(world.watch.state).toBe('none');
  });

  test('clocks that disagree change nothing', async () => {
    const world = new World();
    const behindMs = 3_600_000;
    await world.watch.look();
    await world.pass(10_000, () => {
      world.heartbeats = [{ atMs: world.nowMs - behindMs, status: RUNNING }];
    });
    expect(world.watch.state).toBe('up');
    await world.pass(SILENT_MS_MAX + 5_000);
    expect(world.watch.state).toBe('none');
  });

  test('an old sign that is read first is an old one', async () => {
    const world = new World();
    world.heartbeats = [{ atMs: world.nowMs - SILENT_MS_MAX - 1, status: RUNNING }];
    expect(await world.watch.look()).toBe('none');
  });

  test('Temporal away says nothing about workers', async () => {
    const world = new World();
    world.heartbeats = [{ atMs: world.nowMs, status: RUNNING }];
    await world.watch.look();
    world.isAway = true;
    await world.pass(SILENT_MS_MAX + 5_000);
    expect(world.watch.state).toBe('unknown');
  });
});

describe('whether an invocation is left lying', () => {
  const lies = async (change: (world: World) => void): Promise<boolean> => {
    const world = new World();
    world.task = { state: SCHEDULED, scheduledAtMs: world.nowMs };
    world.polledAtMs = [world.nowMs - 20_000];
    change(world);
    return world.watch.isLeftLying('invocation/inv_1');
  };

  test('reports no worker when no poll arrived since the task was enqueued', async () => {
    expect(await lies(() => undefined)).toBe(true);
    expect(await lies((world) => (world.polledAtMs = []))).toBe(true);
  });

  test('reports a worker when a busy worker polled meanwhile', async () => {
    expect(await lies((world) => world.polledAtMs.push(world.nowMs + 1))).toBe(false);
  });

  test('reports a worker when a worker started the task, or no task waits', async () => {
    expect(await lies((world) => (world.task = { state: STARTED, scheduledAtMs: world.nowMs }))).toBe(false);
    expect(await lies((world) => (world.task = null))).toBe(false);
  });

  test('reports a worker when Temporal gives no information', async () => {
    expect(await lies((world) => (world.isAway = true))).toBe(false);
  });
});
