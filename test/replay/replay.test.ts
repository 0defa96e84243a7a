import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { ACTIVITIES_OF_QUEUES } from '../../activities/create-worker.ts';
import { ACTIVITY_QUEUES } from '../../temporal/task-queues.ts';
import * as workflows from '../../workflows/index.ts';
import { stepsWithoutSummary } from './summaries.ts';
import { SCENARIOS } from './scenarios.ts';

const HISTORIES = path.join(import.meta.dirname, 'histories');
const FILES = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));

interface RecordedEvent {
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string }; taskQueue: { name: string } };
  timerStartedEventAttributes?: unknown;
}
interface RecordedHistory {
  events: RecordedEvent[];
}

const read = (file: string): RecordedHistory =>
  JSON.parse(readFileSync(path.join(HISTORIES, file), 'utf8')) as RecordedHistory;
const onTodaysCode = () => ({ workflowBundle: { codePath: inject('stack').workflowBundlePath } });
const replay = (history: RecordedHistory, workflowId: string): Promise<void> =>
  Worker.runReplayHistory(onTodaysCode(), historyFromJSON(history), workflowId);

describe('every stored history replays on the code of today', () => {
  /** By file, null where it replayed. One worker replays all: a worker for each would load the bundle a hundred times. */
  const failures = new Map<string, Error | null>();

  beforeAll(async () => {
    const histories = FILES.map((file) => ({ workflowId: file, history: historyFromJSON(read(file)) }));
    for await (const { workflowId, error } of Worker.runReplayHistories(onTodaysCode(), histories))
      failures.set(workflowId, error ?? null);
  });

  test.each(FILES)('%s', (file) => {
    expect(failures.get(file)).toBeNull();
  });

  test('every workflow has a history', () => {
    const recorded = new Set(FILES.map((file) => file.split(path.sep)[0]));
    const remedy = 'add a scenario to test/workflows/<its area>/scenarios.ts, then `npm run histories:record`';
    expect(
      Object.keys(workflows).filter((workflow) => !recorded.has(workflow)),
      remedy,
    ).toEqual([]);
  });

  test('every activity that a workflow schedules on a queue of its own is run by the worker of that queue', () => {
    const scheduled = FILES.flatMap((file) =>
      read(file).events.map((event) => event.activityTaskScheduledEventAttributes),
    );
    const asked = scheduled.flatMap((activity) => {
      const queue = ACTIVITY_QUEUES.find((name) => activity?.taskQueue.name.endsWith(`/${name}`));
      return activity === undefined || queue === undefined ? [] : [`${queue}: ${activity.activityType.name}`];
    });
    const run = Object.entries(ACTIVITIES_OF_QUEUES).flatMap(([queue, names]) =>
      names.map((name) => `${queue}: ${name}`),
    );
    expect([...new Set(asked)].toSorted()).toEqual(run.toSorted());
  });

  test('every scenario is recorded', () => {
    expect(SCENARIOS.map((scenario) => `${scenario.name}.json`).filter((file) => !FILES.includes(file))).toEqual([]);
  });

  test('every activity and timer of every workflow has a summary', () => {
    const remedy = 'give it a `summary` (docs/howto/add-a-workflow.md), delete the file and `npm run histories:record`';
    const without = FILES.flatMap((file) => stepsWithoutSummary(read(file)).map((step) => `${file}: ${step}`));
    expect(without, remedy).toEqual([]);
  });

  test('no history tells of the machine that recorded it', () => {
    for (const file of FILES)
      expect(readFileSync(path.join(HISTORIES, file), 'utf8')).not.toMatch(/\d+@|\.[tj]s:\d+|"\/[a-z]+\//);
  });
});

describe('a history that the code does not make fails to replay', () => {
  const file = path.join('invokeAction', 'confirmed-at-the-second-read.v1.json');

  test('another activity', async () => {
    const history = read(file);
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    if (!scheduled?.activityTaskScheduledEventAttributes) throw new Error('the history schedules an activity');
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'sendTwice';
    await expect(replay(history, 'corrupted')).rejects.toThrow(DeterminismViolationError);
  });

  test('an activity where the code starts a timer', async () => {
    const history = read(file);
    const timer = history.events.find((event) => event.timerStartedEventAttributes);
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    if (!timer || !scheduled?.activityTaskScheduledEventAttributes)
      throw new Error('the history starts a timer and an activity');
    timer.eventType = scheduled.eventType;
    timer.activityTaskScheduledEventAttributes = scheduled.activityTaskScheduledEventAttributes;
    delete timer.timerStartedEventAttributes;
    await expect(replay(history, 'corrupted')).rejects.toThrow(DeterminismViolationError);
  });
});
