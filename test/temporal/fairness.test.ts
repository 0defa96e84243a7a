import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { invokeActionStart } from '../../temporal/invocations/invoke-action.ts';
import { deadLetterJobStart } from '../../temporal/dead-letters/dead-letter-jobs.ts';
import { deliverMessageStart } from '../../temporal/messages/deliver-message.ts';
import { PRIORITY_KEYS, type Start } from '../../temporal/start.ts';
import { ENVIRONMENT, NAMES, REF } from './start-declarations.ts';

const { COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK } = temporal.api.enums.v1.CommandType;
const FLOOD = 40;
const POLL_MS = 20_000;
const [flooding, victims] = ['workspace-that-floods', 'workspace-of-the-victim'];

describe('tasks of workflows wait for a worker', () => {
  const namespace = inject('stack').temporalNamespace;
  const taskQueue = randomUUID();
  const started: string[] = [];
  let connection: Connection;
  let client: Client;

  beforeAll(async () => {
    connection = await Connection.connect({ address: inject('stack').temporalAddress });
    client = new Client({ connection, namespace });
    for (let at = 1; at <= FLOOD; at++) await start(delivery(flooding, `flood_${at}`));
  });
  afterAll(async () => {
    await Promise.all(started.map((workflowId) => client.workflow.getHandle(workflowId).terminate()));
    await connection.close();
  });

  const delivery = (workspaceId: string, messageId: string) =>
    deliverMessageStart({ ...REF, workspaceId, messageId }, taskQueue, ENVIRONMENT);

  async function start({ type, options }: Start): Promise<void> {
    const workflowId = `${options.workflowId}/${taskQueue}`;
    await client.workflow.start(type, { ...options, workflowId, args: [...options.args] });
    started.push(workflowId);
  }

  /** The next task that a worker would get. It is not answered: its workflow gets no other one meanwhile. */
  async function nextTask(): Promise<{ id: string; taskToken: Uint8Array }> {
    const polled = await client.withDeadline(Date.now() + POLL_MS, () =>
      connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue }, identity: 'test' }),
    );
    return { id: polled.workflowExecution?.workflowId?.split(`/${taskQueue}`)[0] ?? '', taskToken: polled.taskToken };
  }

  test('an invocation goes before deliveries, and the delivery of another workspace before the backlog of one', async () => {
    await start(deadLetterJobStart({ ...REF, workspaceId: victims, jobId: 'dlj_1', kind: 'retry' }, taskQueue, null));
    await start(delivery(victims, 'of_the_victim'));
    await start(invokeActionStart({ ...REF, workspaceId: victims }, taskQueue, NAMES));
    const first: string[] = [];
    // A start is answered before its task is in the queue, so the first polls may still take from the backlog. In the order of their
    // starts both would come after all of it.
    while (first.length < FLOOD / 2) first.push((await nextTask()).id);
    expect(first).toEqual(expect.arrayContaining(['invocation/inv_1', 'message/of_the_victim']));
  });

  test('an activity without a priority has that of its workflow, with one of its own in part the rest of it', async () => {
    await start(invokeActionStart({ ...REF, workspaceId: victims, invocationId: 'inv_2' }, taskQueue, NAMES));
    let { id, taskToken } = await nextTask();
    while (id !== 'invocation/inv_2') ({ id, taskToken } = await nextTask());
    expect(id).toBe('invocation/inv_2');
    const command = (activityId: string, priority?: { fairnessKey: string }) => ({
      commandType: COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
      scheduleActivityTaskCommandAttributes: {
        activityId,
        activityType: { name: 'any' },
        taskQueue: { name: taskQueue },
        startToCloseTimeout: { nanos: 900_000_000 },
        ...(priority === undefined ? {} : { priority }),
      },
    });
    await connection.workflowService.respondWorkflowTaskCompleted({
      namespace,
      taskToken,
      commands: [command('plain'), command('keyed', { fairnessKey: 'own' })],
    });
    const queue = { namespace, taskQueue: { name: taskQueue }, identity: 'test' };
    const poll = () =>
      client.withDeadline(Date.now() + POLL_MS, () => connection.workflowService.pollActivityTaskQueue(queue));
    const seen = [await poll(), await poll()].map(({ activityId, priority }) => [
      activityId,
      priority?.priorityKey,
      priority?.fairnessKey,
    ]);
    expect(new Set(seen.map((one) => one.join()))).toEqual(
      new Set([`keyed,${PRIORITY_KEYS.invocation},own`, `plain,${PRIORITY_KEYS.invocation},${victims}`]),
    );
  });
});
