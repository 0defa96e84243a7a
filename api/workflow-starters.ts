import type { Client } from '@temporalio/client';
import type { Database, Tenant } from '../db/client.ts';
import { EnvironmentNames } from '../db/environments/callers.ts';
import type { ApprovalRef } from '../domain/approvals/approval.ts';
import type { BillingMonthRef } from '../domain/billing/month-ref.ts';
import type { DeadLetterJobRef } from '../domain/dead-letters/dead-letters.ts';
import type { EventRef } from '../domain/events/events.ts';
import type { MemoryJobRef } from '../domain/memory/memory-jobs.ts';
import type { MessageRef } from '../domain/messages/messages.ts';
import type { EmailRef } from '../domain/notifications/emails.ts';
import type { EffectToRead, InvocationRef } from '../domain/refs.ts';
import type { FiringRef, ScheduleRef, TemporalPlan } from '../domain/schedules/schedules.ts';
import { startBillingMonth } from './billing/start-billing-month.ts';
import { wakeApproval } from './approvals/wake-approval.ts';
import { wakeDeadLetterJob } from './dead-letters/job-workflows.ts';
import { startFanOut } from './starts/event-workflows.ts';
import { cancelInvocationWorkflow } from './invocations/cancel-invocation-workflow.ts';
import { startKnownInvocation } from './invocations/start-known-invocation.ts';
import { wakeMemoryJob } from './memory/job-workflows.ts';
import {
  paceMessagesWorkflow,
  startFiring,
  tellMessageWorkflow,
  wakeMessageWorkflow,
} from './starts/message-workflows.ts';
import { startEmail } from './notifications/email-workflows.ts';
import { startReadsWorkflow } from './reconciliation/reconciliation-workflows.ts';
import { forgetSchedule, putSchedule } from './schedules/schedule-client.ts';

/**
 * The starts and signals of the activities, above all of the sweep. They hold the ids of rows; the names that the Temporal UI shows are
 * read here, so that a workflow which the sweep starts is found like one that a request starts. worker.ts and the harness of the tests
 * share this. `client` is on the worker's own connection.
 */
export function workflowStarters(client: Client, db: Pick<Database, 'oneStatement'>, taskQueue: string) {
  const names = new EnvironmentNames(db);
  const known = { temporal: client, db, taskQueue };
  const startInvocation = (ref: InvocationRef) => startKnownInvocation(known, ref);
  return {
    startInvocation,
    cancelInvocation: (ref: InvocationRef) => cancelInvocationWorkflow(known, ref),
    startReads: async (ref: EffectToRead, kind: 'reconciliation' | 'reversal') =>
      startReadsWorkflow(client, ref, kind, await names.nameOf(ref), taskQueue),
    wakeApproval: async (ref: ApprovalRef) =>
      wakeApproval(client, ref, { environmentName: await names.nameOf(ref), startInvocation, taskQueue }),
    wakeMessage: async (ref: MessageRef) =>
      wakeMessageWorkflow(client, ref, { environmentName: await names.nameOf(ref), taskQueue }),
    tellMessage: (messageId: string) => tellMessageWorkflow(client, messageId),
    paceMessages: async (tenant: Tenant) =>
      paceMessagesWorkflow(client, tenant, { environmentName: await names.nameOf(tenant), taskQueue }),
    wakeDeadLetterJob: async (ref: DeadLetterJobRef) =>
      wakeDeadLetterJob(client, ref, { environmentName: await names.nameOf(ref), taskQueue }),
    wakeMemoryJob: async (ref: MemoryJobRef) =>
      wakeMemoryJob(client, ref, { environmentName: await names.nameOf(ref), taskQueue }),
    fanOutEvent: async (ref: EventRef) =>
      startFanOut(client, ref, { environmentName: await names.nameOf(ref), taskQueue }),
    closeBillingMonth: (ref: BillingMonthRef) => startBillingMonth(client, ref, taskQueue),
    sendEmail: async (ref: EmailRef) =>
      startEmail(client, ref, { environmentName: await names.nameOf(ref), taskQueue }),
    putSchedule: async (ref: ScheduleRef, plan: TemporalPlan, now: Date) =>
      putSchedule(client, ref, plan, { environmentName: await names.nameOf(ref), taskQueue, now }),
    forgetSchedule: (scheduleId: string) => forgetSchedule(client, scheduleId),
    startFiring: async (firing: FiringRef) =>
      startFiring(client, firing, { environmentName: await names.nameOf(firing), taskQueue }),
  };
}
