import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { type Repeated, repeatUntilStopped } from '../../activities/repeat-until-stopped.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import type { JsonObject } from '../../domain/json.ts';
import { current, prune, rollback, status } from '../../process/deployments/deploy.ts';
import { projectRoot } from '../../process/project-root.ts';
import { approve, putPolicy, readApproval } from '../api/approvals/support.ts';
import { createAction, type Invocation, invocationIn } from '../api/invocations/support.ts';
import { startTarget } from '../harness/target.ts';
import { bundleOf, makeAnotherRelease } from './another-release.ts';
import { inForm } from './form.ts';
import { untilSeen } from './seen.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/** A changed workflow is deployed while work is open and more comes in; then it is rolled back, and its version pruned. */

const OPEN = inForm({ short: 4, full: 1_000 });
const PARKED = inForm({ short: 2, full: 200 });
/** Places for all that are open: with fewer, those that come in wait behind them, and two cores do not catch up. */
const WORKSPACE_DISPATCHES_MAX = inForm({ short: '50', full: '2000' });
/** How many begin on the new version in the midst of its rollback. */
const MET = 4;
const INTERVAL_MS = inForm({ short: 500, full: 50 });
const PACE_MS = 40;
/** The calls that are open hang until the new version is there: none may reach its time-out. */
const HANGS_MS = inForm({ short: 30_000, full: 300_000 });
/** Long enough for the calls of a crowd that waits for places. */
const ENDS_MS = inForm({ short: 60_000, full: 600_000 });
/** Temporal looks every three minutes by itself whether a version is drained, and remembers polls for five. */
const SOON = [
  'matching.wv.VersionDrainageStatusVisibilityGracePeriod="1s"',
  'matching.wv.VersionDrainageStatusRefreshInterval="1s"',
  'matching.PollerHistoryTTL="1s"',
];

const [processes, target] = await Promise.all([SeparateProcesses.start({ settings: SOON }), startTarget()]);
const release = makeAnotherRelease();
const temporal: Client = await processes.temporalClient();
const { key: approver } = await processes.database.db.withEnvironment(processes.database.tenant, (tx) =>
  createApiKey(tx, { name: 'approver', preset: 'full_access' }),
);

const BUILDS = { before: { id: '2.0.0' }, after: { id: '2.1.0-rc.1', release } };
type Build = { id: string; release?: string };
const startApi = ({ id, release: from }: Build) =>
  processes.startApi({ RUN_INVOCATIONS: '1', WORKER_BUILD_ID: id, WORKSPACE_DISPATCHES_MAX }, from);
const startWorker = ({ id, release: from }: Build) =>
  processes.startWorker({ WORKER_BUILD_ID: id, WORKSPACE_DISPATCHES_MAX }, from);
const untilCurrent = async (id: string): Promise<void> => {
  await expect.poll(() => status(temporal), { timeout: ENDS_MS }).toMatch(new RegExp(`^${id}\tcurrent\t`, 'm'));
};

/** Sends again with the same Idempotency-Key where the reply asks for it: a crowded machine cannot start a thousand workflows at once. */
async function admitted(api: ApiProcess, action: string, input: JsonObject) {
  const headers = { 'Idempotency-Key': randomUUID() };
  for (;;) {
    const reply = await api.post(`/api/v2/actions/${action}/invoke`, { input }, headers);
    if (reply.status !== 503) return { status: reply.status, invocation: invocationIn(reply) };
    await delay(PACE_MS);
  }
}

async function park(api: ApiProcess, action: string): Promise<Invocation> {
  const { invocation } = await admitted(api, action, { amount: 60_000 });
  if (invocation.status === 'pending_approval') return invocation;
  const url = `/api/v2/actions/invocations/${invocation.id}`;
  const look = async (): Promise<string> => invocationIn(await api.get(url)).status;
  await expect.poll(look, { timeout: ENDS_MS }).toBe('pending_approval');
  return invocationIn(await api.get(url));
}

async function agree(api: ApiProcess, parked: readonly Invocation[]): Promise<void> {
  const one = async ({ approvalId }: Invocation): Promise<void> => {
    const approval = await readApproval(api, approvalId);
    expect((await approve(api.as(approver), approval)).status).toBe(200);
  };
  await Promise.all(parked.map(one));
}

/** Begins one after another, at a pace that the machine takes. Returns when all are begun. */
async function begin<T>(count: number, make: () => Promise<T>): Promise<Promise<T>[]> {
  const begun: Promise<T>[] = [];
  for (let n = 0; n < count; n++) {
    begun.push(make());
    await delay(PACE_MS);
  }
  return begun;
}

async function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  return Promise.all(await begin(count, make));
}

/** Invokes at a steady rate, as a balancer over the API processes would, until it is stopped. */
class Traffic {
  api: ApiProcess;
  readonly ids: string[] = [];
  readonly failures: string[] = [];
  private readonly calls: Promise<void>[] = [];
  private readonly running: Promise<void>;
  private isOver = false;

  constructor(api: ApiProcess, action: string) {
    this.api = api;
    this.running = this.run(action);
  }

  private async run(action: string): Promise<void> {
    for (; !this.isOver; await delay(INTERVAL_MS)) this.calls.push(this.send(action));
  }

  private async send(action: string): Promise<void> {
    const reply = await this.api.post(`/api/v2/actions/${action}/invoke`, { input: {} }).catch((error: unknown) => ({
      status: 0,
      text: String(error),
      json: null,
    }));
    if (reply.status === 200 || reply.status === 202) this.ids.push((reply.json as { data: { id: string } }).data.id);
    else this.failures.push(`${reply.status} ${reply.text}`);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
    await Promise.all(this.calls);
  }
}

test(
  'a changed workflow is deployed and rolled back under work, and nothing fails',
  async () => {
    const { before, after } = BUILDS;
    const [api, worker] = await Promise.all([startApi(before), startWorker(before)]);
    await untilCurrent(before.id);
    await putPolicy(api, POLICY);
    const money = {
      impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
    };
    const asking = await createAction(api, { url: `${target.baseUrl}/ok?asked` }, money);
    const hanging = await createAction(api, { url: `${target.baseUrl}/hang?open` }, { timeoutMs: HANGS_MS });
    const plain = await createAction(api, { url: `${target.baseUrl}/ok?traffic` });

    const parked = await many(PARKED, () => park(api, asking));
    const open = await begin(OPEN, () => admitted(api, hanging, {}));
    await untilSeen(target, ['/hang?open']);

    const [newApi, newWorker] = await Promise.all([startApi(after), startWorker(after)]);
    const traffic = new Traffic(api, plain);
    expect(await current(temporal, after.id, true)).toContain('is the current version');
    traffic.api = newApi;
    const released = keepReleasing();
    const [now, later] = [parked.slice(0, PARKED / 2), parked.slice(PARKED / 2)];
    await agree(newApi, now);
    const begunAfter = await many(PARKED, () => park(newApi, asking));
    await expect.poll(() => status(temporal), { timeout: ENDS_MS }).toMatch(/^2\.1\.0-rc\.1\tcurrent\t[1-9]/m);

    const met: Invocation[] = [];
    const meeting = withMeeting(async (change) => {
      met.push(...(await many(MET, () => park(newApi, asking))));
      await change();
      const failed: boolean[] = [];
      for (const invocation of met) {
        await agree(api, [invocation]);
        failed.push(await meetsTheCodeBefore(invocation));
      }
      expect(failed).toContain(true);
    });
    expect(await rollback(meeting, null)).toMatch(
      /^2\.0\.0 takes new work\. \d+ open workflows stay with 2\.1\.0-rc\.1: [^.]+\.$/,
    );
    traffic.api = api;
    expect(await newApi.program.end('SIGTERM')).toBe(0);
    await agree(api, [...later, ...begunAfter]);
    await traffic.end();

    const all = [
      ...parked,
      ...begunAfter,
      ...met,
      ...(await Promise.all(open)).map(({ invocation }) => invocation),
    ].map(({ id }) => id);
    await untilSucceeded([...all, ...traffic.ids]);
    await released.stop();
    expect(traffic.failures).toEqual([]);
    expect(traffic.ids.length).toBeGreaterThan(10);
    const counts = await sentByUrl();
    expect(counts).toEqual({ '/ok?asked': 2 * PARKED + MET, '/hang?open': OPEN, '/ok?traffic': traffic.ids.length });

    await expect.poll(() => status(temporal), { timeout: ENDS_MS }).toMatch(/^2\.1\.0-rc\.1\tdrained\t0 open/m);
    expect(await newWorker.end('SIGTERM')).toBe(0);
    await vi.waitFor(async () => expect(await prune(temporal)).toBe(`${after.id}: deleted`), { timeout: ENDS_MS });
    expect(await status(temporal)).not.toContain(after.id);
    await everyHistoryReplays();
    expect(await Promise.all([api.program.end('SIGTERM'), worker.end('SIGTERM')])).toEqual([0, 0]);
  },
  4 * ENDS_MS,
);

/** Above 500 USD one person has to agree. */
const POLICY = {
  schema: 'approval-policy/v1',
  name: 'large amounts',
  rules: [
    {
      id: 'large',
      match: { actions: ['test.*'] },
      when: 'impact.exists(i, i.dimension == "money" && i.amount > 50000)',
      effect: 'require_approval',
      approval: { quorum: 1, expiresIn: 'PT2H' },
    },
    { id: 'others', match: { actions: ['test.*'] }, effect: 'allow' },
  ],
};

/**
 * Asks for the rollback as `between` wants it: what under traffic happens by chance, a workflow that begins on the new version when its
 * others are pinned already, and has its next task on the code before.
 */
function withMeeting(between: (change: () => Promise<unknown>) => Promise<void>): Client {
  const service = temporal.workflowService;
  type Request = Parameters<typeof service.setWorkerDeploymentCurrentVersion>[0];
  const setWorkerDeploymentCurrentVersion = (request: Request) =>
    between(() => service.setWorkerDeploymentCurrentVersion(request));
  const meeting = Object.create(service, {
    setWorkerDeploymentCurrentVersion: { value: setWorkerDeploymentCurrentVersion },
  });
  return Object.create(temporal, { workflowService: { value: meeting } }) as Client;
}

/** Returns false when it ended on the new version after all, because Temporal's queues had not heard of the change yet. */
async function meetsTheCodeBefore({ id }: Invocation): Promise<boolean> {
  const handle = temporal.workflow.getHandle(`invocation/${id}`);
  const hasFailed = async () =>
    (await handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes) ?? false;
  const hasEnded = async () => (await handle.describe()).status.name !== 'RUNNING';
  await expect.poll(async () => (await hasFailed()) || (await hasEnded()), { timeout: ENDS_MS }).toBe(true);
  return hasFailed();
}

/** Answers the calls that hang, also those that reach the target only when places are free. */
function keepReleasing(): Repeated {
  return repeatUntilStopped(() => target.release(), {
    intervalMs: INTERVAL_MS,
    failed: (error) => {
      throw error;
    },
  });
}

async function untilSucceeded(ids: readonly string[]): Promise<void> {
  const standing = () =>
    processes.database.asOwner('SELECT status, count(*)::int FROM invocations WHERE id = ANY($1) GROUP BY status', [
      ids,
    ]);
  await expect.poll(standing, { timeout: ENDS_MS }).toEqual([{ status: 'succeeded', count: ids.length }]);
}

async function sentByUrl(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method, url } of await target.requests()) if (method === 'POST') counts[url] = (counts[url] ?? 0) + 1;
  return counts;
}

/** All replay on the changed code. What it began does not replay on the code before, which is why a rollback keeps it where it is. */
async function everyHistoryReplays(): Promise<void> {
  const replay = async (folder: string) => {
    const failures: unknown[] = [];
    const histories = temporal.workflow.list({ query: `WorkflowType = 'invokeAction'` }).intoHistories();
    const bundle = { workflowBundle: { codePath: bundleOf(folder) } };
    for await (const { error } of Worker.runReplayHistories(bundle, histories))
      if (error !== undefined) failures.push(error);
    return failures;
  };
  expect(await replay(release)).toEqual([]);
  const onTheCodeBefore = await replay(projectRoot());
  expect(onTheCodeBefore.length).toBeGreaterThanOrEqual(PARKED);
  for (const failure of onTheCodeBefore) expect(failure).toBeInstanceOf(DeterminismViolationError);
}
