import { z } from 'zod';
import { type Affected, AFFECTED_TYPES, type ErrorGroup, readAffected, readErrors } from '../../db/analytics/errors.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import {
  AFFECTED_MAX,
  fingerprintOf,
  SAMPLE_CHARACTERS_MAX,
  sampleOf,
  SAMPLES_MAX,
  TREND_PARTS,
} from '../../domain/analytics/error-samples.ts';
import { targetOf } from '../../domain/analytics/shapes.ts';
import { ERROR_AREAS, type ErrorArea } from '../../domain/analytics/kinds.ts';
import { REFUSAL_TABLE } from '../../domain/refusals.ts';
import { pageQuery } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { count, truncatedSchema } from './range-schemas.ts';

const CODE_CHARACTERS_MAX = 200;

const area = z
  .enum(ERROR_AREAS)
  .describe(
    '`invocation`: refused before it was sent. `dispatch`: sent, and failed or of unknown outcome. `delivery`: a failed attempt of a ' +
      'message. `subscription`: the same of an event. `schedule`: a slot whose publishing was refused. `run`: a run of an agent that failed. ' +
      '`integration`: a chat that refused a question.',
  );

const errorSchema = z
  .strictObject({
    fingerprint: z.string().describe('The same for the same area, code and text, in every range and environment.'),
    area,
    code: z.string().describe('A refusal code, a status that was answered, or a word such as `timeout`.'),
    sampleMessage: z
      .string()
      .max(SAMPLE_CHARACTERS_MAX)
      .describe('Without credentials, addresses and the queries of URLs; what differs from one to the next is `#`.'),
    count: count.describe('How often it happened in the range.'),
    firstSeenAt: z.iso.datetime().describe('The first time in the range.'),
    lastSeenAt: z.iso.datetime().describe('The last time in the range.'),
    affected: z
      .array(
        z.strictObject({
          type: z.enum(AFFECTED_TYPES),
          id: z.string().describe('The id; a destination has its origin and path.'),
          name: z.string().nullable(),
        }),
      )
      .max(AFFECTED_MAX)
      .describe('What the samples are about, as far as they are kept. It is not everything that is affected.'),
    sampleIds: z
      .array(z.string())
      .max(SAMPLES_MAX)
      .describe('Newest records: invocations, messages, schedules, runs, or approvals that a chat was asked about.'),
    trend: z
      .array(count)
      .length(TREND_PARTS)
      .describe(
        `${TREND_PARTS} equal parts of the range, the oldest first; they sum to \`count\`. Counts are by quarters of an hour, or by UTC days beyond 31 of them.`,
      ),
  })
  .meta({ id: 'ErrorAnalytics' });

export const errorsRoute = defineRoute(
  analyticsRead({
    id: 'analytics.errors',
    path: '/api/v2/analytics/errors',
    summary: 'List errors by kind, the most frequent first',
    description:
      'What failed in the range, grouped by area, code and text. One failed message counts once for each of its failed attempts. ' +
      'An unknown outcome that is resolved as succeeded is taken out again.',
    query: {
      area: area.optional(),
      code: z.string().min(1).max(CODE_CHARACTERS_MAX).optional().describe('Only this code, exactly.'),
      limit: pageQuery.limit,
    },
    data: z.array(errorSchema),
    beside: { truncated: truncatedSchema },
    csv: {
      columns: [
        'fingerprint',
        'area',
        'code',
        'sampleMessage',
        'count',
        'firstSeenAt',
        'lastSeenAt',
        'affected',
        'sampleIds',
        'trend',
      ],
    },
    async read(tx, { query: { area: only = null, code = null, limit }, range }) {
      const { groups, total } = await readErrors(tx, range, { area: only, code, most: limit });
      const affected = await affectedOf(tx, groups);
      const data = groups.map(({ firstSeenAt, lastSeenAt, message, ...group }) => ({
        fingerprint: fingerprintOf(group.area, group.code, message),
        area: group.area,
        code: group.code,
        sampleMessage: sampleOf(message === '' ? meaningOf(group.code) : message),
        count: group.count,
        firstSeenAt: firstSeenAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
        affected: distinct(group.sampleIds.flatMap((id) => affected.get(group.area)?.get(id) ?? [])).slice(
          0,
          AFFECTED_MAX,
        ),
        sampleIds: group.sampleIds,
        trend: group.trend,
      }));
      return { data, beside: { truncated: total > data.length } };
    },
  }),
);

function meaningOf(code: string): string {
  return Object.hasOwn(REFUSAL_TABLE, code) ? REFUSAL_TABLE[code as keyof typeof REFUSAL_TABLE].meaning : '';
}

async function affectedOf(
  tx: EnvironmentTransaction,
  groups: readonly ErrorGroup[],
): Promise<Map<ErrorArea, Map<string, Affected[]>>> {
  const areas = [...new Set(groups.map((group) => group.area))];
  const found = new Map<ErrorArea, Map<string, Affected[]>>();
  for (const one of areas) {
    const ids = groups.filter((group) => group.area === one).flatMap(({ sampleIds }) => sampleIds);
    found.set(one, await readAffected(tx, one, ids));
  }
  return found;
}

/** Without duplicates. A message's URL is shown as analytics names destinations. */
function distinct(affected: readonly Affected[]): Affected[] {
  const shown = affected.map(({ type, id, name }) => ({
    type,
    id: type === 'destination' ? targetOf(id) : id,
    name: type === 'subscription' && name !== null ? targetOf(name) : name,
  }));
  return [...new Map(shown.map((one) => [one.id, one])).values()];
}
