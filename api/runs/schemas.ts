import { z } from 'zod';
import type { LevelSpan } from '../../db/runs/spans.ts';
import type { RunCounts } from '../../db/runs/queries.ts';
import type { RunRecord } from '../../db/runs/records.ts';
import { jsonBytes } from '../../domain/json.ts';
import {
  RUN_STATUSES,
  RUN_TAG_CHARACTERS_MAX,
  RUN_TAGS_MAX,
  SPAN_BYTES_MAX,
  SPAN_ID,
  SPAN_KINDS,
  SPAN_NAME_CHARACTERS_MAX,
  SPANS_PER_REQUEST_MAX,
} from '../../domain/runs/runs.ts';
import { anyJson, filterInstant, orShortened, storedInstant } from '../http/common-fields.ts';

/** Runs and spans as requests and replies show them: docs/runs.md. */
const text = (max: number) => z.string().min(1).max(max);
const object = z.record(z.string(), anyJson);
const dateTime = z.iso.datetime();
const count = z.int().min(0);
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const tags = z.array(text(RUN_TAG_CHARACTERS_MAX)).max(RUN_TAGS_MAX);
const tokenCount = z.int().min(0);

export const createRunBody = z
  .strictObject({
    name: text(200).nullable().default(null),
    agentId: text(60).nullable().default(null),
    agentVersion: text(60).nullable().default(null),
    userId: text(200).nullable().default(null),
    application: text(200).nullable().default(null),
    input: anyJson.default(null).describe('What the agent was asked.'),
    tags: tags.nullable().default(null),
    metadata: object.nullable().default(null),
  })
  .meta({ id: 'CreateRun' });

export const updateRunBody = z
  .strictObject({
    status: z.enum(['succeeded', 'failed', 'cancelled']).optional().describe('Ends the run. Once.'),
    name: text(200).nullable().optional(),
    output: anyJson.optional(),
    error: object.nullable().optional(),
    tokens: tokenCount.nullable().optional(),
    cost: amount.nullable().optional().describe('In the currency of your accounts.'),
    tags: tags.nullable().optional(),
    metadata: object.nullable().optional().describe('Replaces what was there.'),
  })
  .meta({ id: 'UpdateRun', description: 'After its end only `tags` and `metadata` change.' });

export const runParams = z.strictObject({ id: z.string().min(1).max(100).describe('Id of the run, `run_…`.') });
export const spanParams = runParams.extend({ spanId: z.string().min(1).max(100).describe('Id of the span.') });

export const listRunsQuery = z.strictObject({
  status: z.enum(RUN_STATUSES).optional(),
  agentId: text(60).optional(),
  userId: text(200).optional(),
  application: text(200).optional(),
  tag: text(RUN_TAG_CHARACTERS_MAX).optional().describe('Runs with this tag.'),
  startDate: filterInstant.optional().describe('Runs that started then or later.'),
  endDate: filterInstant.optional().describe('Runs that started before then.'),
});

const spanId = z
  .string()
  .regex(SPAN_ID, 'must be 16 lower-case hexadecimal digits, or an id of the form spn_…')
  .describe('Your own 16 hexadecimal digits, as of W3C Trace Context, or one of ours. Unique in the run.');
const traceId = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hexadecimal digits');
const kind = z.enum(SPAN_KINDS);
const status = z.enum(RUN_STATUSES);
const tokens = z.strictObject({ input: tokenCount.nullish(), output: tokenCount.nullish() });

const spanMembers = {
  parentId: spanId.nullish().describe('It may come later.'),
  name: text(SPAN_NAME_CHARACTERS_MAX).nullish().describe('Left out of a new span: its id, until its name comes.'),
  kind: kind.nullish().describe('`other` where it is left out of a new span.'),
  status: status
    .nullish()
    .describe('Left out: `running`, and with an end `succeeded`, or `failed` where there is an error.'),
  startedAt: storedInstant.nullish(),
  endedAt: storedInstant.nullish(),
  input: anyJson.optional(),
  output: anyJson.optional(),
  error: object.nullish(),
  tokens: tokens.nullish(),
  cost: amount.nullish(),
  attributes: object.nullish().describe('Merged into those that are there.'),
};

export const updateSpanBody = z
  .strictObject(spanMembers)
  .refine((value) => jsonBytes(value) <= SPAN_BYTES_MAX, `must be at most ${SPAN_BYTES_MAX} bytes of JSON`)
  .meta({ id: 'UpdateSpan', description: 'A member that is left out, or null, leaves what is there.' });

export const upsertSpansBody = z.strictObject({
  spans: z
    .array(
      z
        .strictObject({ id: spanId, traceId: traceId.nullish(), ...spanMembers })
        .refine((value) => jsonBytes(value) <= SPAN_BYTES_MAX, `must be at most ${SPAN_BYTES_MAX} bytes of JSON`)
        .meta({ id: 'SpanUpsert', description: 'A member that is left out, or null, leaves what is there.' }),
    )
    .min(1)
    .max(SPANS_PER_REQUEST_MAX),
});

/** It is the same read back from JSON. */
export type UpsertSpans = z.output<typeof upsertSpansBody>;

export const upsertedSchema = z
  .strictObject({
    accepted: count.describe('Spans of the request that were written.'),
    rejected: z
      .array(z.strictObject({ index: count.describe('Its place in the request, from 0.'), message: z.string() }))
      .describe('The others are written all the same.'),
  })
  .meta({ id: 'UpsertedSpans' });

export const listSpansQuery = z.strictObject({
  parentId: spanId
    .optional()
    .describe('The children of this span. Left out: the roots, and spans whose parent never came.'),
});

const anything = anyJson.describe('Any JSON value, or null.');

export const runSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['run_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    agentId: z.string().nullable(),
    agentVersion: z.string().nullable(),
    environmentId: z.uuid(),
    name: z.string().nullable(),
    status,
    userId: z.string().nullable(),
    application: z.string().nullable(),
    input: anything,
    output: anything,
    error: object.nullable(),
    tokens: count.nullable(),
    cost: z.number().nullable(),
    tags: z.array(z.string()).nullable(),
    metadata: object.nullable(),
    startedAt: dateTime,
    endedAt: dateTime.nullable(),
    durationMs: count.nullable(),
  })
  .meta({ id: 'Run' });

export const listedRunSchema = runSchema
  .extend({ error: orShortened(object.nullable()), metadata: orShortened(object.nullable()) })
  .meta({ id: 'ListedRun' });

export const runWithCountsSchema = runSchema
  .extend({
    counts: z.strictObject({ spans: count, invocations: count, effects: count, approvals: count }),
  })
  .meta({ id: 'RunWithCounts' });

export const spanSchema = z
  .strictObject({
    id: z.string(),
    runId: z.string(),
    parentId: z.string().nullable(),
    traceId: z.string().nullable(),
    name: z.string(),
    kind,
    status,
    startedAt: dateTime,
    endedAt: dateTime.nullable(),
    durationMs: count.nullable(),
    input: anything,
    output: anything,
    error: orShortened(object.nullable()),
    tokens: z.strictObject({ input: count.nullable(), output: count.nullable() }),
    cost: z.number().nullable(),
    attributes: orShortened(object.nullable()),
    invocationId: z.string().nullable().describe('For a span that the service keeps for an invocation of the run.'),
    effectId: z.string().nullable(),
    approvalId: z.string().nullable(),
    childCount: count.describe('Its own children, without theirs.'),
    orphan: z.boolean().describe('It names a parent that has not come; it is listed among the roots.'),
  })
  .meta({ id: 'Span' });

export function presentRun({ startedAt, endedAt, ...run }: RunRecord): z.input<typeof runSchema> {
  return { ...run, ...timesOf(startedAt, endedAt) };
}

export function presentRunWithCounts({
  counts,
  ...run
}: RunRecord & { counts: RunCounts }): z.input<typeof runWithCountsSchema> {
  return { ...presentRun(run), counts };
}

export function presentSpan(span: LevelSpan): z.input<typeof spanSchema> {
  const { startedAt, endedAt, inputTokens, outputTokens, ...rest } = span;
  return { ...rest, ...timesOf(startedAt, endedAt), tokens: { input: inputTokens, output: outputTokens } };
}

function timesOf(startedAt: Date, endedAt: Date | null) {
  return {
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    durationMs: endedAt === null ? null : endedAt.getTime() - startedAt.getTime(),
  };
}
