import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COUNTED } from '../../../db/migrations/analytics-facts.ts';
import {
  type Fact,
  factsOfApproval,
  factsOfChatPost,
  factsOfEffect,
  factsOfInvocation,
  factsOfMessage,
  factsOfMessageAttempt,
  factsOfRun,
  factsOfScheduleRun,
} from './facts.ts';
import { bucketOf } from '../../../domain/analytics/histogram.ts';
import { APPROVAL_STATUSES } from '../../../domain/approvals/approval.ts';
import {
  ATTEMPT_STATUSES,
  GRADES,
  INVOCATION_STATUSES,
  OUTCOME_SOURCES,
  VERIFICATIONS,
} from '../../../domain/lifecycle.ts';
import { MESSAGE_STATUSES } from '../../../domain/messages/messages.ts';
import { RUN_STATUSES } from '../../../domain/runs/runs.ts';
import { RUN_OUTCOMES, RUN_TRIGGERS } from '../../../domain/schedules/schedules.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** The rule in TypeScript and its twin in SQL say the same of a thousand records of each table. */

const RECORDS = 1_000;

const database = await createTestDatabase();

const at = fc.date({
  min: new Date('2025-12-31T23:44:59.998Z'),
  max: new Date('2026-03-02T00:00:00.001Z'),
  noInvalidDate: true,
});
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 2 });
const word = fc.constantFrom('', 'a', 'support-agent', 'act_1', 'ü', '🤖', 'a/b', 'a:b');
const text = fc.oneof(
  word,
  fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', '')),
  fc.constantFrom(
    'the destination answered 503',
    'no usable answer: the time-out was reached',
    'order ord-42_x of 12,5 € failed\nat 10:00',
    `${'ü'.repeat(299)}${'1'.repeat(4_000)}`,
    '🤖'.repeat(301),
  ),
);
const url = fc.constantFrom(
  'https://example.com/hook',
  'https://user:pass@example.com:8443/a/b?token=1#x',
  'http://example.com?next=http://a@b/c',
  'https://example.com/@scope/pkg?a=1',
  `https://example.com/${'x'.repeat(900)}`,
);
const count = fc.integer({ min: 0, max: 5_000_000 });

/** A record of each table as the rule takes it, and the rule. */
const TABLES: Record<string, { record: fc.Arbitrary<Record<string, unknown>>; facts: (record: never) => Fact[] }> = {
  invocations: {
    facts: factsOfInvocation,
    record: fc.record({
      id: word,
      status: fc.constantFrom(...INVOCATION_STATUSES),
      code: maybe(fc.constantFrom('http_error', 'policy_denied')),
      error: maybe(text),
      decision: maybe(
        fc.constantFrom<unknown>(
          { effect: 'allow', policyId: null, version: null, ruleId: null },
          { effect: 'deny', policyId: 'pol_1', version: 3, ruleId: 'large' },
          { effect: 'require_approval', policyId: 'pol_2', version: 12, ruleId: 'a/b' },
        ),
      ),
      actionId: word,
      agentId: maybe(word),
      approvalId: maybe(word),
      createdAt: at,
      evaluatedAt: maybe(at),
      unknownAt: maybe(at),
      settledAt: maybe(at),
    }),
  },
  effects: {
    facts: factsOfEffect,
    record: fc.record({
      actionName: word,
      grade: fc.constantFrom(...GRADES),
      verification: fc.constantFrom(...VERIFICATIONS),
      outcomeSource: maybe(fc.constantFrom(...OUTCOME_SOURCES)),
      updatedAt: at,
      outcomeAt: maybe(at),
      unknownAt: maybe(at),
      knownAt: maybe(at),
    }),
  },
  approvals: {
    facts: factsOfApproval,
    record: fc.record({
      status: fc.constantFrom(...APPROVAL_STATUSES),
      policyId: maybe(word),
      source: fc.constantFrom('policy', 'caller'),
      createdAt: at,
      decidedAt: maybe(at),
    }),
  },
  messages: {
    facts: factsOfMessage,
    record: fc.record({
      status: fc.constantFrom(...MESSAGE_STATUSES),
      kind: fc.constantFrom('message', 'event', 'alert'),
      label: maybe(word),
      url,
      subscriptionId: maybe(word),
      scheduleId: maybe(word),
      attempts: fc.integer({ min: 0, max: 20 }),
      createdAt: at,
      scheduledFor: maybe(at),
      updatedAt: at,
      deliveredAt: maybe(at),
      failedAt: maybe(at),
    }),
  },
  message_attempts: {
    facts: factsOfMessageAttempt,
    record: fc.record({
      messageId: word,
      number: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom(...ATTEMPT_STATUSES),
      target: maybe(word),
      failure: maybe(fc.constantFrom('timeout', 'connection', 'blocked')),
      subscriptionId: maybe(word),
      responseStatus: maybe(fc.constantFrom(200, 204, 302, 404, 503)),
      latencyMs: maybe(count),
      error: maybe(text),
      finishedAt: maybe(at),
    }),
  },
  schedule_runs: {
    facts: factsOfScheduleRun,
    record: fc.record({
      scheduleId: word,
      trigger: fc.constantFrom(...RUN_TRIGGERS),
      outcome: fc.constantFrom(...RUN_OUTCOMES),
      errorCode: maybe(text),
      errorMessage: maybe(text),
      nominalAt: at,
      firedAt: at,
    }),
  },
  runs: {
    facts: factsOfRun,
    record: fc.record({
      id: word,
      status: fc.constantFrom(...RUN_STATUSES),
      agentId: maybe(word),
      agentVersion: maybe(word),
      error: maybe(fc.record({ code: text, message: text }, { requiredKeys: [] })),
      tokens: maybe(count),
      inputTokens: maybe(count),
      outputTokens: maybe(count),
      cost: maybe(fc.double({ min: 0, max: 1e12, noNaN: true })),
      startedAt: at,
      endedAt: maybe(at),
    }),
  },
  chat_posts: {
    facts: factsOfChatPost,
    record: fc.record({
      approvalId: word,
      status: fc.constantFrom('posted', 'refused'),
      error: maybe(text),
      postedAt: at,
    }),
  },
};

/** Columns whose names are not those of the rule. */
const COLUMNS: Readonly<Record<string, string>> = { code: 'refusal_code', postedAt: 'at' };
const columnOf = (member: string): string =>
  COLUMNS[member] ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const rowOf = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([member, value]) => [columnOf(member), value]));

const lineOf = (fact: Fact): string =>
  JSON.stringify([fact.kind, fact.at.toISOString(), fact.d1, fact.d2, fact.d3, fact.s1, fact.s2, fact.ms, fact.sample]);

describe('the rule and its twin in SQL', () => {
  test('are of the same tables', () => {
    expect(Object.keys(TABLES).toSorted()).toEqual(COUNTED.map(({ table }) => table).toSorted());
  });

  test.each(COUNTED)('say the same of $table', async ({ table, facts }) => {
    const twin = TABLES[table];
    if (twin === undefined) throw new Error(`no records of ${table}`);
    const records = fc.sample(twin.record, { numRuns: RECORDS, seed: 38 });
    const rows = await database.asOwner<Fact & { place: string }>(
      `SELECT g.place, f.kind, f.at, f.d1, f.d2, f.d3, f.s1::float8 AS s1, f.s2::float8 AS s2, f.ms::float8 AS ms, f.sample
       FROM jsonb_array_elements(CAST($1 AS jsonb)) WITH ORDINALITY g (record, place), LATERAL jsonb_populate_record(NULL::${table}, g.record) r,
         LATERAL ${facts} f`,
      [JSON.stringify(records.map(rowOf))],
    );
    const said = records.map((_record, index) =>
      rows
        .filter(({ place }) => Number(place) === index + 1)
        .map(lineOf)
        .toSorted(),
    );
    const expected = records.map((record) =>
      twin
        .facts(record as never)
        .map(lineOf)
        .toSorted(),
    );
    expect(expected.flat().length).toBeGreaterThan(RECORDS / 4);
    expect(said).toEqual(expected);
  });

  test('put durations into the same buckets', async () => {
    const durations = [
      0,
      1,
      2,
      3,
      ...fc.sample(fc.integer({ min: 0, max: 86_400_000 }), { numRuns: RECORDS, seed: 38 }),
    ];
    const rows = await database.asOwner<{ bucket: number }>(
      'SELECT analytics_bucket(d.ms) AS bucket FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY d (ms, place) ORDER BY d.place',
      [durations],
    );
    expect(rows.map(({ bucket }) => bucket)).toEqual(durations.map(bucketOf));
  });
});
