import { z } from 'zod';
import type {
  DeadLetterFacts,
  DeadLetterRecord,
  DeadLetterStats,
  ListedDeadLetterRecord,
} from '../../db/dead-letters/records.ts';
import type { JobRecord } from '../../db/dead-letters/jobs.ts';
import {
  DEAD_LETTER_JOB_KINDS,
  DEAD_LETTER_REASONS,
  type DeadLetterJobKind,
  JOB_STATUSES,
} from '../../domain/dead-letters/dead-letters.ts';
import { nearestInstant, orShortened, queryBoolean } from '../http/common-fields.ts';
import { LABEL_CHARACTERS_MAX } from '../messages/body-schemas.ts';
import {
  listedMessageSchema,
  messageSchema,
  presentListedMessage,
  presentMessage,
  publishedSchema,
} from '../messages/schemas.ts';

const dateTime = z.iso.datetime();
const count = z.int().min(0);
const responseStatus = z.int().min(100).max(599);

const facts = {
  dlqReason: z.enum(DEAD_LETTER_REASONS).describe('Why nothing more was tried.'),
  lastAttemptAt: dateTime.nullable(),
  responseHeaders: z.record(z.string(), z.string()).nullable().describe('Those of the last response.'),
};
export const deadLetterSchema = messageSchema.extend(facts).meta({ id: 'DeadLetter' });
export const listedDeadLetterSchema = listedMessageSchema
  .extend({ ...facts, responseHeaders: orShortened(facts.responseHeaders) })
  .meta({ id: 'ListedDeadLetter' });

const filterFields = {
  url: z.string().min(1).max(2_048).optional().describe('The destination, exactly as it was published.'),
  urlGroup: z.string().min(1).max(100).optional().describe('The id of a URL group, or the name of one.'),
  scheduleId: z.string().min(1).max(100).optional(),
  label: z.string().min(1).max(LABEL_CHARACTERS_MAX).optional().describe('Exactly as it was published.'),
  reason: z.enum(DEAD_LETTER_REASONS).optional(),
  startDate: nearestInstant.optional().describe('Failed after.'),
  endDate: nearestInstant.optional().describe('Failed before.'),
};
export const filterQuery = z.strictObject({
  ...filterFields,
  responseStatus: z.coerce.number().int().min(100).max(599).optional().describe('The status of the last response.'),
});
export const filterBody = z
  .strictObject({ ...filterFields, responseStatus: responseStatus.optional() })
  .meta({ id: 'DeadLetterFilter', description: 'Every member must hold. None: all.' });

const EXPECTED_COUNT = 'How many records you have seen. If the filter matches another number now, the answer is 409.';
export const retryAllBody = filterBody
  .extend({ expectedCount: count.optional().describe(EXPECTED_COUNT) })
  .meta({ id: 'RetryDeadLetters', description: 'Every member of the filter must hold. None: all.' });
export const clearQuery = filterQuery.extend({
  confirmProtected: queryBoolean
    .optional()
    .describe('In a protected environment it must be true, because nothing brings the records back.'),
  expectedCount: z.coerce.number().int().min(0).optional().describe(EXPECTED_COUNT),
});

export const deadLetterParams = z.strictObject({ messageId: z.string().min(1).max(100) });
export const jobParams = z.strictObject({ jobId: z.string().min(1).max(100).describe('Id of the job, `dlj_…`.') });

export const retriedSchema = publishedSchema
  .omit({ deduplicated: true })
  .extend({ retryOf: z.string().regex(/^msg_/).describe('The message that failed.') })
  .meta({ id: 'RetriedMessage' });

export const statsSchema = z
  .strictObject({
    total: count,
    oldestAt: dateTime.nullable(),
    newestAt: dateTime.nullable(),
    examined: count.describe('How many of the newest records the groups below are made of.'),
    byReason: z.array(z.strictObject({ reason: z.enum(DEAD_LETTER_REASONS), count })),
    byResponseStatus: z.array(
      z.strictObject({ responseStatus: responseStatus.nullable().describe('Null: no response.'), count }),
    ),
    topUrls: z.array(z.strictObject({ url: z.string(), count })).describe('The ten destinations with the most.'),
  })
  .meta({ id: 'DeadLetterStats' });

export const progressShape = {
  status: z
    .enum(JOB_STATUSES)
    .describe(
      '`paused`: it goes on by itself once the environment is resumed. `failed`: see `reason`; what is left stays.',
    ),
  reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  total: count.nullable().describe('The records that it found when it began; null until they are counted.'),
  done: count.describe('Retried, or cleared.'),
  failed: count.describe('Records that could not be retried. They stay.'),
  cursor: z.string().nullable().describe('The last record of the last page.'),
  createdAt: dateTime,
  updatedAt: dateTime,
  endedAt: dateTime.nullable(),
};

export const jobSchema = z
  .strictObject({
    id: z.string().regex(/^dlj_/),
    kind: z.enum(DEAD_LETTER_JOB_KINDS),
    filter: filterBody,
    ...progressShape,
  })
  .meta({ id: 'DeadLetterJob' });

function presentFacts({ reason, lastAttemptAt }: Omit<DeadLetterFacts, 'responseHeaders'>) {
  return { dlqReason: reason, lastAttemptAt: lastAttemptAt?.toISOString() ?? null };
}

export function presentDeadLetter(record: DeadLetterRecord): z.input<typeof deadLetterSchema> {
  return { ...presentMessage(record), ...presentFacts(record), responseHeaders: record.responseHeaders };
}

export function presentListedDeadLetter(record: ListedDeadLetterRecord): z.input<typeof listedDeadLetterSchema> {
  return { ...presentListedMessage(record), ...presentFacts(record), responseHeaders: record.responseHeaders };
}

export function presentStats({ oldestAt, newestAt, ...rest }: DeadLetterStats): z.input<typeof statsSchema> {
  return { ...rest, oldestAt: oldestAt?.toISOString() ?? null, newestAt: newestAt?.toISOString() ?? null };
}

export function presentJob(job: JobRecord<DeadLetterJobKind>): z.input<typeof jobSchema> {
  return { ...presentProgress(job), kind: job.kind, filter: job.filter };
}

export function presentProgress(job: JobRecord) {
  return {
    id: job.id,
    status: job.status,
    reason: job.reason,
    total: job.total,
    done: job.done,
    failed: job.failed,
    cursor: job.afterId === '' ? null : job.afterId,
    createdAt: job.createdAt.toISOString(),
    updatedAt: job.updatedAt.toISOString(),
    endedAt: job.endedAt?.toISOString() ?? null,
  };
}
