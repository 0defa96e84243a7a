import { claimWorkflowStarts, type StartKind, type WorkflowStart } from '../../db/maintenance/claim-workflow-starts.ts';
import { findEffectToRead } from '../../db/reconciliation/directory.ts';
import { readOverlap } from '../../db/schedules/firings.ts';
import type { JobKind } from '../../domain/dead-letters/dead-letters.ts';
import type { MemoryJobKind } from '../../domain/memory/memory-jobs.ts';
import type { RunTrigger } from '../../domain/schedules/schedules.ts';
import { tellSchedule } from '../schedules/tell-schedule.ts';
import type { SweepArea, SweepDependencies } from './sweep-rows.ts';

/** Twice as many starts of a sweep at most, ten at once. */
export const CLAIMED_MAX = 2_000;
const AGAIN_IN_SECONDS = 60;

type Starters =
  | 'startInvocation'
  | 'wakeApproval'
  | 'startReads'
  | 'fanOutEvent'
  | 'sendEmail'
  | 'wakeDeadLetterJob'
  | 'wakeMemoryJob'
  | 'putSchedule'
  | 'forgetSchedule'
  | 'startFiring';
type Starting = SweepDependencies<Starters>;

/**
 * The relay of the outbox of workflow starts: a process died before its start, Temporal was away or lost a history, an
 * operator terminated a workflow. A workflow that runs only reads its row, so that two relays start nothing twice.
 */
export const workflowStarts: SweepArea<WorkflowStart, Starters> = {
  find: ({ db }) => claimWorkflowStarts(db, { againInSeconds: AGAIN_IN_SECONDS, most: CLAIMED_MAX }),
  idOf: ({ id }) => id,
  mend: (deps, starts) => Promise.all(starts.map((start) => STARTS[start.kind](deps, start))),
  batchSize: 1,
  atOnce: 10,
  isOneLook: true,
};

const STARTS: Record<StartKind, (deps: Starting, start: WorkflowStart) => Promise<void>> = {
  invocation: (deps, start) => deps.startInvocation({ invocationId: start.id, ...tenantOf(start) }),
  approval: (deps, start) =>
    deps.wakeApproval({ approvalId: start.id, invocationId: start.detail, ...tenantOf(start) }),
  read: startReads,
  event: (deps, start) => deps.fanOutEvent({ eventId: start.id, ...tenantOf(start) }),
  email: (deps, start) => deps.sendEmail({ emailId: start.id, ...tenantOf(start) }),
  dead_letter_job: (deps, start) =>
    deps.wakeDeadLetterJob({ jobId: start.id, kind: start.detail as JobKind, ...tenantOf(start) }),
  memory_job: (deps, start) =>
    deps.wakeMemoryJob({ jobId: start.id, kind: start.detail as MemoryJobKind, ...tenantOf(start) }),
  schedule: (deps, start) => tellSchedule(deps, { scheduleId: start.id, ...tenantOf(start) }),
  firing: startFiring,
};

function tenantOf({ workspaceId, environmentId }: WorkflowStart) {
  return { workspaceId, environmentId };
}

async function startReads(deps: Starting, start: WorkflowStart): Promise<void> {
  const found = await deps.db.oneStatement(tenantOf(start), (tx) => findEffectToRead(tx, start.id));
  if (found === null) return;
  const { stage, ...effect } = found;
  const ref = { effectId: start.id, ...effect, ...tenantOf(start) };
  await deps.startReads(ref, stage === 'reconciling' ? 'reconciliation' : 'reversal');
}

/** A run that waits is fired once no message of an earlier run is on its way: otherwise it would find it, and wait again. */
async function startFiring(deps: Starting, start: WorkflowStart): Promise<void> {
  const [scheduleId = '', trigger, nominalMs] = start.id.split('/');
  if (start.detail === 'waiting') {
    const { messageId } = await deps.db.oneStatement(tenantOf(start), (tx) => readOverlap(tx, scheduleId));
    if (messageId !== null) return;
  }
  const nominalAt = new Date(Number(nominalMs)).toISOString();
  await deps.startFiring({ scheduleId, trigger: trigger as RunTrigger, nominalAt, ...tenantOf(start) });
}
