import { z } from 'zod';
import { type FlowControlKeyRecord, type KeyStatus, LISTED_WAITING_MAX } from '../../db/flow-control/keys.ts';
import {
  KEY_CHARACTERS_MAX,
  PARALLELISM_MAX,
  PERIOD_SECONDS_DEFAULT,
  PERIOD_SECONDS_MAX,
  RATE_MAX,
} from '../../domain/flow-control/flow-control.ts';

/** A flow-control key as requests and replies show it: docs/flow-control.md. */

const CONTROL = /[\p{Cc}\p{Cs}]/u;

/** Printable: a key stands in URLs of filters, in logs and in the Temporal UI. */
const key = z
  .string()
  .min(1)
  .max(KEY_CHARACTERS_MAX)
  .refine((text) => !CONTROL.test(text), 'must hold no control characters')
  .describe('Any name. Messages of one key in one environment share its limits.');
const rate = z.int().min(1).max(RATE_MAX);
const periodSeconds = z.int().min(1).max(PERIOD_SECONDS_MAX);
const parallelism = z.int().min(1).max(PARALLELISM_MAX);

const NEEDS_RATE = 'needs rate beside it';

const limits = {
  rate: rate.optional().describe('How many calls one window dispatches, retries included.'),
  periodSeconds: periodSeconds
    .optional()
    .describe(`The length of a window. It goes with \`rate\`; ${PERIOD_SECONDS_DEFAULT} where it is left out.`),
  parallelism: parallelism
    .optional()
    .describe(
      `How many calls may be without their response at once. At most ${PARALLELISM_MAX}, also where it is left out.`,
    ),
};

interface AskedLimits {
  rate?: number | null | undefined;
  periodSeconds?: number | undefined;
}

function periodNeedsRate({ rate: asked, periodSeconds: period }: AskedLimits, context: z.RefinementCtx): void {
  if (period === undefined || typeof asked === 'number') return;
  context.addIssue({ code: 'custom', path: ['periodSeconds'], message: NEEDS_RATE });
}

/** `flowControl` of a message, and what a key is created with. */
export const flowControlSchema = z
  .strictObject({ key, ...limits })
  .superRefine(periodNeedsRate)
  .meta({ id: 'FlowControl' });

const changedLimits = {
  rate: rate.nullable().optional().describe('Null: no limit by rate.'),
  periodSeconds: periodSeconds.optional().describe('It goes with `rate`.'),
  parallelism: parallelism.nullable().optional().describe(`Null: ${PARALLELISM_MAX}.`),
};

/** To update a key, and to pin it. */
export const changedLimitsBody = z
  .strictObject(changedLimits)
  .superRefine(periodNeedsRate)
  .meta({ id: 'FlowControlLimits' });

export const unpinBody = z
  .strictObject({
    rate: z.boolean().optional().describe('True: messages may change rate and period again.'),
    parallelism: z.boolean().optional().describe('True: messages may change the parallelism again.'),
  })
  .meta({ id: 'UnpinFlowControlKeyRequest' });

export const keyParams = z.strictObject({
  flowControlKeyId: z.string().min(1).max(100).describe('Id of the flow-control key, `fck_…`.'),
});

export const listKeysQuery = z.strictObject({ key: key.optional().describe('The key of this name alone.') });

const dateTime = z.iso.datetime();
const count = z.int().min(0);

export const keySchema = z
  .strictObject({
    id: z.string().meta({ examples: ['fck_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    key: z.string(),
    rate: z.int().nullable().describe('Calls of one window; null: no limit.'),
    periodSeconds: z.int().nullable(),
    parallelism: z.int().nullable().describe(`Calls in flight at once; null: ${PARALLELISM_MAX}.`),
    pinned: z
      .strictObject({ rate: z.boolean(), parallelism: z.boolean() })
      .describe('What messages do not change. `rate` stands for the period too.'),
    paused: z.boolean(),
    heldUntil: dateTime
      .nullable()
      .describe('A destination answered 429 or 503 with Retry-After: nothing is sent until then.'),
    waiting: count.describe(`Messages that wait for their turn or their time. A list counts to ${LISTED_WAITING_MAX}.`),
    inFlight: count.describe('Messages that have their turn: their calls are under way, or about to be.'),
    windowCount: count.describe('Calls dispatched in the present window.'),
    windowStartedAt: dateTime.nullable().describe('Null: no window is open.'),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'FlowControlKey' });

export const DUE_COUNTED_MAX = 10_000;

export const statusSchema = keySchema
  .extend({
    due: count.describe(`Waiting messages that are due, counted to ${DUE_COUNTED_MAX}.`),
    oldestDueAt: dateTime.nullable().describe('When the first waiting message is due, or was.'),
    windowEndsAt: dateTime.nullable(),
    nextGrantAt: dateTime
      .nullable()
      .describe(
        'When time may let the next message through. Null: a finished call does, or the end of a pause or a halt.',
      ),
    halted: z.boolean().describe('The environment is halted: nothing is sent.'),
  })
  .meta({ id: 'FlowControlStatus' });

export function presentKey(record: FlowControlKeyRecord): z.input<typeof keySchema> {
  const { ratePinned, parallelismPinned, pausedAt, heldUntil, windowStartedAt, createdAt, updatedAt, ...rest } = record;
  return {
    ...rest,
    pinned: { rate: ratePinned, parallelism: parallelismPinned },
    paused: pausedAt !== null,
    heldUntil: heldUntil?.toISOString() ?? null,
    windowStartedAt: windowStartedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function presentStatus(record: FlowControlKeyRecord, status: KeyStatus): z.input<typeof statusSchema> {
  const { due, oldestDueAt, windowEndsAt, nextGrantAt, halted } = status;
  return {
    ...presentKey(record),
    due,
    oldestDueAt: oldestDueAt?.toISOString() ?? null,
    windowEndsAt: windowEndsAt?.toISOString() ?? null,
    nextGrantAt: nextGrantAt?.toISOString() ?? null,
    halted,
  };
}
