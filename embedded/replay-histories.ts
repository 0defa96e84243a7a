import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { builtWorkflowBundle } from '../process/temporal-runtime.ts';

type History = ReturnType<typeof historyFromJSON>;

export class ReplayFailedError extends Error {
  readonly workflowId: string;
  /** The history's event that the code does not produce. Null when the SDK does not name it. */
  readonly eventId: number | null;

  constructor(workflowId: string, history: History, cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    const eventId = eventOf(text) ?? activityEventOf(history, text);
    const where = eventId === null ? '' : ` (${describeEvent(history, eventId)})`;
    super(`${workflowId} does not replay${where}: ${sentenceOf(text)}`, { cause });
    this.name = 'ReplayFailedError';
    this.workflowId = workflowId;
    this.eventId = eventId;
  }
}

/** `sealedPayloads`, where histories are sealed. */
export type ReplayOptions = Pick<ReplayWorkerOptions, 'dataConverter'>;

/** Replays one history on the code of this build and returns the number of its events. It calls no activity. `name`: for its failure. */
export async function replayHistory(history: History, name: string, options: ReplayOptions = {}): Promise<number> {
  try {
    await Worker.runReplayHistory(
      { workflowBundle: { codePath: builtWorkflowBundle() }, ...options },
      history,
      workflowIdOf(history) ?? name,
    );
  } catch (error) {
    throw new ReplayFailedError(name, history, error);
  }
  return eventsOf(history).length;
}

/** A history as the Temporal UI, `temporal workflow show --output json` and `histories:record` write it. */
export function readHistory(file: string): History {
  return historyFromJSON(JSON.parse(readFileSync(file, 'utf8')));
}

/** Returns the JSON files of a folder, recursively and sorted, or the file itself. */
export function historyFiles(fileOrFolder: string): string[] {
  if (!statSync(fileOrFolder).isDirectory()) return [fileOrFolder];
  return readdirSync(fileOrFolder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => path.join(fileOrFolder, file));
}

/** Null in a history of a server that did not write it there. */
function workflowIdOf(history: History): string | null {
  const id = eventsOf(history)[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
  return id === '' ? null : id;
}

export function workflowTypeOf(history: History): string {
  return eventsOf(history)[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? 'unknown';
}

function eventsOf(history: History) {
  return history.events ?? [];
}

/** The core's own sentence, extracted from the structure that is printed around it. */
function sentenceOf(text: string): string {
  return /message: "(\[TMPRL\d+\][^"]*)"/.exec(text)?.[1] ?? text;
}

/** The core writes `HistoryEvent(id: 8, Some(ActivityTaskScheduled))`, or `(event) 8`, by its version. */
function eventOf(text: string): number | null {
  const id = /HistoryEvent\(id: (\d+)/.exec(text)?.[1] ?? /\bevent(?:_id:?| id)? (\d+)/i.exec(text)?.[1];
  return id === undefined ? null : Number(id);
}

/** Where an activity has another type, the core names the recorded type: the first such event is the first that can differ. */
function activityEventOf(history: History, text: string): number | null {
  const type = /scheduled event '([^']+)'/.exec(text)?.[1];
  const isIt = (one: ReturnType<typeof eventsOf>[number]): boolean =>
    one.activityTaskScheduledEventAttributes?.activityType?.name === type;
  const event = type === undefined ? undefined : eventsOf(history).find(isIt);
  return event === undefined ? null : Number(event.eventId);
}

function describeEvent(history: History, eventId: number): string {
  const event = eventsOf(history).find((one) => Number(one.eventId) === eventId);
  const attributes = Object.keys(event ?? {}).find((name) => name.endsWith('EventAttributes'));
  const name = attributes?.replace(/EventAttributes$/, '');
  return `event ${eventId}${name === undefined ? '' : `, ${name}`}`;
}
