import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../architecture/source-tree.ts';
import { Program } from '../harness/embedded-stack.ts';
import { workflowIdOf } from '../../embedded/workflow-ids.ts';

const HISTORIES = path.join('test', 'replay', 'histories');
const RECORDED = path.join(HISTORIES, 'invokeAction', 'confirmed-at-the-second-read.v1.json');
const folder = mkdtempSync(path.join(tmpdir(), 'replay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function replay(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = new Program(['embedded/run.mjs', 'embedded/commands/replay.js', ...args], {});
  return { code: await program.exited, output: program.output };
}

test('replays a file, and a folder', async () => {
  const one = await replay('--file', RECORDED);
  expect(one.output).toMatch(/: \d+ events of invokeAction replay on this code\./);
  expect(one.code).toBe(0);
  const all = await replay('--file', path.join(HISTORIES, 'awaitApproval'));
  expect(all.output.match(/of awaitApproval replay/g)?.length).toBeGreaterThan(1);
});

interface Recorded {
  events: {
    eventId: string;
    eventType: string;
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
    timerStartedEventAttributes?: { timerId: string };
  }[];
}

/** Replays a recorded history that was changed, and returns the message. */
async function replayed(change: (history: Recorded) => void): Promise<string> {
  const history = JSON.parse(readFileSync(path.join(PROJECT_ROOT, RECORDED), 'utf8')) as Recorded;
  change(history);
  const file = path.join(folder, 'corrupted.json');
  writeFileSync(file, JSON.stringify(history));
  const { code, output } = await replay('--file', file);
  expect(code).toBe(1);
  expect(output).toContain('does not replay');
  expect(output).toContain('1 of 1 failed.');
  return output;
}

describe('a history that the code does not make fails, and the message names its event', () => {
  test('another activity', async () => {
    const output = await replayed(({ events }) => {
      const event = events.find((each) => each.activityTaskScheduledEventAttributes);
      if (!event?.activityTaskScheduledEventAttributes) throw new Error('the history schedules an activity');
      event.activityTaskScheduledEventAttributes.activityType.name = 'sendTwice';
    });
    expect(output).toMatch(/event \d+, activityTaskScheduled\): .*'sendTwice'.*'dispatchEffect'/);
  });

  test('another step where the code starts a timer', async () => {
    const output = await replayed(({ events }) => {
      const timer = events.find((each) => each.timerStartedEventAttributes);
      const activity = events.find((each) => each.activityTaskScheduledEventAttributes);
      if (!timer || !activity?.activityTaskScheduledEventAttributes) throw new Error('the history has both');
      timer.eventType = activity.eventType;
      timer.activityTaskScheduledEventAttributes = activity.activityTaskScheduledEventAttributes;
      delete timer.timerStartedEventAttributes;
    });
    expect(output).toMatch(/event \d+, activityTaskScheduled\)/);
  });
});

test('says how it is used', async () => {
  const asked = await replay('--help');
  expect([asked.code, asked.output]).toEqual([0, expect.stringContaining('--workflow-id <id>')]);
  const nothing = await replay();
  expect([nothing.code, nothing.output]).toEqual([1, expect.stringContaining('Usage:')]);
});

test.each([
  ['inv_1', 'invocation/inv_1'],
  ['apr_1', 'approval/apr_1'],
  ['eff_1', 'reconcile/eff_1'],
  ['att_1', 'replay/att_1'],
  ['msg_1', 'message/msg_1'],
  ['prv_1', 'preview/prv_1'],
  ['reversal/eff_1', 'reversal/eff_1'],
])('%s is the workflow %s', (id, workflowId) => {
  expect(workflowIdOf(id)).toBe(workflowId);
});
