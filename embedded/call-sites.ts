import { existsSync } from 'node:fs';
import path from 'node:path';
import type { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, DefaultLogger, type InjectedSinks, Worker } from '@temporalio/worker';
import { projectRoot } from '../process/project-root.ts';
import type { CommandSinks, TracedCommand } from './traced-commands.ts';

type History = ReturnType<typeof historyFromJSON>;

/**
 * The command at which a failed replay diverges from its history: the first one missing from the history, or else the last one that the
 * code issued. It is found by one more replay, with every command traced to its line.
 */
export interface CallSite {
  /** `activity 2 dispatchEffect`, `timer 1`. */
  command: string;
  /** `workflows/…/name.workflow.ts:81:12` */
  line: string;
  /** False: the history goes on after the last command of the code. */
  isInstead: boolean;
}

/** Null if the code issues no command at all, or none within workflows/. */
export async function callSiteOf(history: History, workflowId: string): Promise<CallSite | null> {
  const traced = await trace(history, workflowId);
  const recorded = commandsOf(history);
  const isRecorded = ({ key }: TracedCommand): boolean => {
    const left = recorded.get(key) ?? 0;
    recorded.set(key, left - 1);
    return left > 0;
  };
  const other = traced.find((command) => !isRecorded(command));
  const command = other ?? traced.at(-1);
  const line = command === undefined ? null : lineIn(command.stack);
  return command === undefined || line === null ? null : { command: command.key, line, isInstead: other !== undefined };
}

/** The innermost line of the workflows in a stack trace. The bundle's source map names the source files. */
export function lineIn(stack: string): string | null {
  const line = /\(?([^\s()]*workflows\/[\w./-]+\.[jt]s:\d+:\d+)\)?/.exec(stack)?.[1];
  return line === undefined ? null : line.slice(line.lastIndexOf('workflows/'));
}

let bundle: ReturnType<typeof bundleTraced> | null = null;

/** From the sources where they are there, so that the lines are theirs; an image has the compiled files only. */
async function bundleTraced(): Promise<{ code: string }> {
  const root = projectRoot();
  const isSource = existsSync(path.join(root, 'workflows', 'index.ts'));
  const fileOf = (module: string): string =>
    path.join(root, ...(isSource ? [`${module}.ts`] : ['dist', `${module}.js`]));
  return bundleWorkflowCode({
    workflowsPath: fileOf('workflows/index'),
    workflowInterceptorModules: [fileOf('embedded/traced-commands')],
    logger: new DefaultLogger('ERROR'),
  });
}

async function trace(history: History, workflowId: string): Promise<TracedCommand[]> {
  bundle ??= bundleTraced();
  const workflowBundle = await bundle;
  const traced: TracedCommand[] = [];
  const sinks: InjectedSinks<CommandSinks> = {
    commands: { made: { fn: (_, command) => void traced.push(command), callDuringReplay: true } },
  };
  try {
    await Worker.runReplayHistory({ workflowBundle, sinks }, history, workflowId);
  } catch {
    // It failed before, which is why it is traced: the caller has that error.
  }
  return traced;
}

/** How often each command is in a history, in the words of `TracedCommand.key`. */
function commandsOf({ events }: History): Map<string, number> {
  const counted = new Map<string, number>();
  for (const event of events ?? []) {
    const key = keyOf(event);
    if (key !== null) counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  return counted;
}

function keyOf(event: NonNullable<History['events']>[number]): string | null {
  const activity = event.activityTaskScheduledEventAttributes;
  if (activity) return `activity ${activity.activityId} ${activity.activityType?.name}`;
  if (event.timerStartedEventAttributes) return `timer ${event.timerStartedEventAttributes.timerId}`;
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (child) return `child ${child.workflowId} ${child.workflowType?.name}`;
  const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
  if (signal) return `signal ${signal.workflowExecution?.workflowId} ${signal.signalName}`;
  const data = event.markerRecordedEventAttributes?.details?.['data']?.payloads?.[0]?.data;
  if (!data) return null;
  const local = JSON.parse(Buffer.from(data).toString('utf8')) as { seq?: number; activity_type?: string };
  return local.activity_type === undefined ? null : `activity ${local.seq} ${local.activity_type}`;
}
