import { z } from 'zod';
import { approximateSchema, count, gaugeSchema, percentilesSchema, rateSchema } from './range-schemas.ts';

const now = (what: string) => gaugeSchema.describe(`${what} now, whatever the range.`);

export const gradesSchema = z
  .strictObject({
    confirmed: count,
    acknowledged: count,
    unknown: count,
    failed: count,
    refused: count,
    denied: count,
    pending: count.describe('Always 0: what is pending has no grade yet.'),
  })
  .meta({
    id: 'AnalyticsGrades',
    description: 'Effects by the grade that they have now, at the time of their outcome or rejection.',
  });

const invocations = {
  created: count.describe('Admitted in the range, whatever became of them. Requests that were refused before are not.'),
  succeeded: count.describe('Ended in the range with this status, and so are the next ones.'),
  failed: count,
  unknown: count.describe(
    'Became unknown in the range and still are. A resolution moves one to its new status and time.',
  ),
  refused: count,
  denied: count,
  expired: count,
  cancelled: count,
};

const effects = {
  byGrade: gradesSchema,
  confirmedShare: rateSchema.describe('confirmed / (confirmed + acknowledged).'),
};

const approvals = {
  requested: count.describe('Asked for in the range, those for free-standing work too.'),
  approved: count.describe('Decided in the range, consumed ones included.'),
  denied: count.describe('Decided in the range.'),
  expired: count.describe('Expired in the range without a decision.'),
  decisionMs: percentilesSchema.describe('From the request to the decision, of the approved and the denied.'),
  approximate: approximateSchema,
};

const messages = {
  accepted: count.describe(
    'Accepted in the range, callbacks and alerts too. Deliveries of events are left out, as in the list of messages.',
  ),
  delivered: count.describe('Ended in the range with this status, and so are the next ones.'),
  failed: count.describe('A retry of a dead letter is another message: this one stays failed.'),
  cancelled: count,
  deliveryRate: rateSchema.describe('delivered / (delivered + failed).'),
};

const schedules = {
  firings: count.describe('Runs of every trigger that ended in the range, whatever their outcome.'),
  failed: count,
  missed: count,
};

const runs = {
  started: count.describe('Began in the range.'),
  succeeded: count.describe('Ended in the range with this status, and so are the next ones.'),
  failed: count,
  cancelled: count,
  tokens: count.describe('What the runs that ended in the range say that they used.'),
  costUsd: z.number().min(0).describe('What they say that they cost, in US dollars.'),
};

const previousSchema = z
  .strictObject({
    invocations: z.strictObject(invocations),
    effects: z.strictObject(effects),
    approvals: z.strictObject(approvals),
    messages: z.strictObject(messages),
    schedules: z.strictObject(schedules),
    runs: z.strictObject(runs),
  })
  .meta({
    id: 'AnalyticsPreviousOverview',
    description: 'The same numbers of the range of equal length before this one, without those of now.',
  });

export const overviewSchema = z.strictObject({
  invocations: z.strictObject({
    ...invocations,
    pendingNow: now('Queued, being sent, or waiting for an approval'),
  }),
  effects: z.strictObject({
    ...effects,
    unknownNow: now('Effects whose outcome is not known'),
    oldestUnknownAt: z.iso
      .datetime()
      .nullable()
      .describe('Since when the oldest of them is unknown; null when none is.'),
  }),
  approvals: z.strictObject({ ...approvals, pendingNow: now('Waiting for a decision') }),
  messages: z.strictObject({
    ...messages,
    pendingNow: now('Accepted and not ended: pending, scheduled or being sent'),
  }),
  schedules: z.strictObject({ ...schedules, activeNow: now('Not paused') }),
  runs: z.strictObject({ ...runs, runningNow: now('Running') }),
  deadLettersNow: now('In the dead-letter queue'),
  previous: previousSchema,
});
