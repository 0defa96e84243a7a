import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { invokeActionStart } from '../../temporal/invocations/invoke-action.ts';
import { reconcileEffectStart } from '../../temporal/reconciliation/reconcile-effect.ts';
import { EVERY_ENVIRONMENT, SEARCH_ATTRIBUTES, searchAttributes } from '../../temporal/search-attributes.ts';
import { asChild, PRIORITY_KEYS } from '../../temporal/start.ts';
import { sealedPayloads } from '../../process/payload-sealing.ts';
import { ensureSweepSchedule } from '../../process/sweep-schedule.ts';
import { PROJECT_ROOT } from '../architecture/source-tree.ts';
import * as registry from '../../workflows/index.ts';
import { collectStarts, ENVIRONMENT, NAMES, REF } from './start-declarations.ts';

const STARTS = await collectStarts();

test.each(STARTS)(
  '%s names a registered workflow, its id and what it is found by, and carries ids alone',
  (id, start, attributes) => {
    expect(Object.keys(registry)).toContain(start.type);
    expect(start.options.workflowId).toBe(id);
    expect(start.options.taskQueue).toBe('q');
    expect(start.options.typedSearchAttributes.map(({ key }) => key.name)).toEqual(attributes);
    expect(JSON.stringify(start)).not.toContain('CONFIDENTIAL');
  },
);

describe('on a server', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    const { temporalAddress: address, temporalNamespace: namespace } = inject('stack');
    connection = await Connection.connect({ address });
    client = new Client({ connection, namespace });
  });
  afterAll(() => connection.close());

  const shown = async (workflowId: string): Promise<{ summary: string; details: string; environment: unknown }> => {
    const described = await client.workflow.getHandle(workflowId).describe();
    return {
      summary: (await described.staticSummary()) ?? '',
      details: (await described.staticDetails()) ?? '',
      environment: described.typedSearchAttributes.get(SEARCH_ATTRIBUTES.environment),
    };
  };

  test.each(STARTS)(
    '%s shows its environment, one line, and what an operator may do',
    async (id, { type, options }, attributes) => {
      const isOfEnvironment = attributes.includes('EnvironmentId');
      const workflowId = `${id}/${randomUUID()}`;
      const handle = await client.workflow.start(type, {
        ...options,
        workflowId,
        args: [...options.args],
        taskQueue: randomUUID(),
      });
      const { summary, details, environment } = await shown(workflowId);
      await handle.terminate();
      // A workspace's workflow is of all its environments.
      expect(environment).toBe(isOfEnvironment ? ENVIRONMENT : EVERY_ENVIRONMENT);
      expect(summary).toMatch(isOfEnvironment ? /^[^\n]+ · Production$/ : /^[^\n]+ · [^\n]+$/);
      expect(details).toMatch(/^\*\*What it does\.\*\* [^]{40,}\n\n\*\*When it stands still\.\*\* [^]{40,}$/);
    },
  );

  test.each([
    ['plain', null],
    ['sealed', `1:${randomBytes(32).toString('base64')}`],
  ])('a name of the longest kind fits into what the server takes, %s', async (_how, keys) => {
    const { namespace } = client.options;
    const starting = new Client({ connection, namespace, ...sealedPayloads(keys) });
    const longest = { actionName: 'a'.repeat(64), environmentName: '🏦'.repeat(100), requestId: 'r'.repeat(128) };
    const starts = [
      invokeActionStart(REF, randomUUID(), longest),
      reconcileEffectStart(
        { ...REF, actionName: longest.actionName, grade: 'unknown' },
        randomUUID(),
        longest.environmentName,
      ),
    ];
    for (const { type, options } of starts) {
      const workflowId = `longest/${randomUUID()}`;
      const handle = await starting.workflow.start(type, { ...options, workflowId, args: [...options.args] });
      const described = await starting.workflow.getHandle(workflowId).describe();
      expect(described.typedSearchAttributes.get(SEARCH_ATTRIBUTES.environment)).toBe(longest.environmentName);
      expect(await described.staticSummary()).toContain('a'.repeat(50));
      await handle.terminate();
    }
  });

  test('every filter that docs/operations.md names is one that the server takes', async () => {
    const page = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
    const filters = [...page.matchAll(/`([A-Z]\w+ (?:=|!=|IN) [^`]*)`/g)].map(([, filter = '']) =>
      filter.replaceAll('…', ''),
    );
    expect(filters.length).toBeGreaterThan(10);
    for (const query of filters) expect((await client.workflow.count(query)).count, query).toBeGreaterThanOrEqual(0);
  });

  test('the schedule of the sweep and its runs belong to every environment', async () => {
    const scheduleId = `maintenance/${randomUUID()}`;
    await ensureSweepSchedule(client, randomUUID(), scheduleId);
    await ensureSweepSchedule(client, randomUUID(), scheduleId);
    const schedule = client.schedule.getHandle(scheduleId);
    onTestFinished(() => schedule.delete());
    const { action, typedSearchAttributes } = await schedule.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.environment)).toBe(EVERY_ENVIRONMENT);
    // What every run is started with. To wait for a run costs up to a minute.
    const given = action.typedSearchAttributes ?? [];
    const pairs = Array.isArray(given) ? given : given.getAll();
    expect(pairs.map(({ key, value }) => [key.name, value])).toEqual([['Environment', EVERY_ENVIRONMENT]]);
    expect(action.staticDetails).toContain('swept_in_part');
    expect(action.priority?.priorityKey).toBe(PRIORITY_KEYS.invocation);
  });

  test('the sweep runs once when workers start, however many, and not while an operator has paused it', async () => {
    const [scheduleId, taskQueue] = [`maintenance/${randomUUID()}`, randomUUID()];
    const schedule = client.schedule.getHandle(scheduleId);
    const runs = async () => (await client.workflow.count(`TaskQueue = '${taskQueue}'`)).count;
    const skipped = async () => Number((await schedule.describe()).raw.info?.overlapSkipped ?? 0);
    await Promise.all([1, 2, 3].map(() => ensureSweepSchedule(client, taskQueue, scheduleId)));
    onTestFinished(() => schedule.delete());
    // The schedule's own minute may begin meanwhile.
    await expect.poll(skipped).toBeGreaterThanOrEqual(2);
    await expect.poll(runs).toBe(1);
    const [running] = (await schedule.describe()).info.runningActions;
    await client.workflow.getHandle(running?.workflow.workflowId ?? '').terminate();
    await schedule.pause();
    await ensureSweepSchedule(client, taskQueue, scheduleId);
    expect((await schedule.describe()).info.numActionsTaken).toBe(1);
  });
});

test('docs/operations.md lists each workflow with the beginning of its id', () => {
  const page = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` +\| `([\w-]+\/)<?/gm)].map(
    ([, type, beginning]) => `${type} ${beginning}`,
  );
  const started = STARTS.map(([id, { type }]) => `${type} ${id.split('/')[0]}/`);
  expect(listed.toSorted()).toEqual([...new Set([...started, 'sweepMaintenance maintenance/'])].toSorted());
});

test('every workflow but the scheduled one has its start', () => {
  const started = new Set(STARTS.map(([, { type }]) => type));
  const remedy = 'add its start to test/temporal/<its area>/starts.ts';
  expect(
    Object.keys(registry).filter((name) => !started.has(name)),
    remedy,
  ).toEqual(['sweepMaintenance']);
});

test('every workflow starts with its workspace as fairness key; invocations before deliveries before maintenance', () => {
  const remedy = 'give its start `priority: priorityOf(…)` of temporal/start.ts';
  for (const [id, { options }] of STARTS)
    expect(options.priority.fairnessKey, `${id}: ${remedy}`).toBe(REF.workspaceId);
  const typesOf = (work: keyof typeof PRIORITY_KEYS) =>
    new Set(
      STARTS.filter(([, { options }]) => options.priority.priorityKey === PRIORITY_KEYS[work]).map(
        ([, { type }]) => type,
      ),
    );
  expect(typesOf('invocation')).toEqual(
    new Set(['invokeAction', 'awaitApproval', 'observePreview', 'reconcileEffect', 'replayEffect']),
  );
  expect(typesOf('maintenance')).toEqual(
    new Set([
      'clearDeadLetters',
      'retryDeadLetters',
      'recoverSubscription',
      'ingestMemory',
      'forgetMemories',
      'watchReversal',
      'closeBillingMonth',
    ]),
  );
  expect(new Set(STARTS.map(([, { options }]) => options.priority.priorityKey))).toEqual(
    new Set(Object.values(PRIORITY_KEYS)),
  );
});

test('an attribute that is not known is left out', () => {
  const values = { workspaceId: 'wsp', effectId: null, actionName: undefined, grade: 'unknown' };
  expect(searchAttributes(values).map(({ key, value }) => [key.name, value])).toEqual([
    ['WorkspaceId', 'wsp'],
    ['Grade', 'unknown'],
  ]);
});

test('a client’s start leaves a running workflow as it is, or is refused; none replaces it', () => {
  const policies = STARTS.map(([, { type, options }]) => [type, options.workflowIdConflictPolicy] as const);
  const withPolicy = (wanted: WorkflowIdConflictPolicy) =>
    [...new Set(policies.filter(([, policy]) => policy === wanted).map(([type]) => type))].toSorted();
  expect(withPolicy(WorkflowIdConflictPolicy.USE_EXISTING)).toEqual([
    'fanOutEvent',
    'invokeAction',
    'reconcileEffect',
    'sendEmail',
    'watchReversal',
  ]);
  expect(withPolicy(WorkflowIdConflictPolicy.TERMINATE_EXISTING)).toEqual([]);
});

test('a start as a child differs by the conflict policy alone', () => {
  const start = reconcileEffectStart({ ...REF, grade: 'unknown' }, 'q', ENVIRONMENT);
  const { workflowIdConflictPolicy, ...rest } = start.options;
  expect(workflowIdConflictPolicy).toBe(WorkflowIdConflictPolicy.USE_EXISTING);
  expect(asChild(start)).toEqual({ type: start.type, options: rest });
});

test('the grade of a reconciliation is the one that its starter knows', () => {
  const { options } = reconcileEffectStart({ ...REF, grade: 'pending' }, 'q', ENVIRONMENT);
  expect(options.typedSearchAttributes).toContainEqual({ key: SEARCH_ATTRIBUTES.grade, value: 'pending' });
});

test('an invocation that ended well is run again only where that is asked for', () => {
  const policy = (again: boolean) => invokeActionStart(REF, 'q', NAMES, again).options.workflowIdReusePolicy;
  expect(policy(false)).toBe(WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY);
  expect(policy(true)).toBe(WorkflowIdReusePolicy.ALLOW_DUPLICATE);
});
