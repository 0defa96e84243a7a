import {
  proxySinks,
  type Sinks,
  type WorkflowInterceptorsFactory,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';

/** One command of a workflow's code, in the words that its history has for it, and where the code makes it. */
export interface TracedCommand {
  /** As `commandsOf` (call-sites.ts) reads it from a history: `activity 2 dispatchEffect`, `timer 1`. */
  key: string;
  stack: string;
}

export interface CommandSinks extends Sinks {
  commands: { made(command: TracedCommand): void };
}

const { commands } = proxySinks<CommandSinks>();

function made(...key: readonly (string | number)[]): void {
  commands.made({ key: key.join(' '), stack: new Error('made here').stack ?? '' });
}

const outbound: WorkflowOutboundCallsInterceptor = {
  scheduleActivity(input, next) {
    made('activity', input.seq, input.activityType);
    return next(input);
  },
  scheduleLocalActivity(input, next) {
    made('activity', input.seq, input.activityType);
    return next(input);
  },
  startTimer(input, next) {
    made('timer', input.seq);
    return next(input);
  },
  startChildWorkflowExecution(input, next) {
    made('child', input.options.workflowId ?? '', input.workflowType);
    return next(input);
  },
  signalWorkflow(input, next) {
    const { target } = input;
    const workflowId = target.type === 'child' ? target.childWorkflowId : target.workflowExecution.workflowId;
    made('signal', workflowId ?? '', input.signalName);
    return next(input);
  },
};

/** Bundled with the workflows for a replay that failed, and never by a worker: it says where each command is made. */
export const interceptors: WorkflowInterceptorsFactory = () => ({ outbound: [outbound] });
