/**
 * The catalogue of what analytics counts. Each record gives facts (`facts.ts`); a fact has a kind, and the kind says what its
 * dimensions and sums mean. All numbers that analytics shows as counts, sums and percentiles come from these kinds.
 *
 * A rollup is the sum of the facts of one environment, kind, quarter of an hour and (d1, d2, d3). An absent value is the empty string.
 * `n` counts records. A correction subtracts, so a row may have `n = 0`: leave such rows out. Rows keep three members that are not
 * subtracted: `first_at` and `last_at`, the earliest and the latest exact time that was counted, and `samples`, at most five ids.
 *
 * `analytics_rollups` (`quarter`) and `analytics_days` (`day`, a UTC date) have these columns, and a histogram (`histogram.ts`) as two arrays,
 * `buckets` and `counts`. Each has its sums twice: in full, and with the open dimensions left out (`is_total`). Before
 * `SELECT analytics_complete_until FROM installation` all that was committed is in them. A row with `OTHER` in an open dimension means that
 * the reply is truncated.
 *
 * | Kind                 | At                     | d1               | d2          | d3             | s1             | s2             | Histogram of ms         |
 * | -------------------- | ---------------------- | ---------------- | ----------- | -------------- | -------------- | -------------- | ----------------------- |
 * | invocations.created  | admission              | status¹          | action id   | agent id       | with approval² |                |                         |
 * | invocations.ended    | end; first unknown     | status¹          | action id   | agent id       |                |                |                         |
 * | policy.decisions     | evaluation             | effect³          | policy id   | version/rule   |                |                |                         |
 * | effects.graded       | outcome; rejection     | grade⁴           | action name | verification   |                |                |                         |
 * | unknowns.opened      | first unknown          |                  | action name |                |                |                |                         |
 * | unknowns.resolved    | first known again      | lookup, manual   | action name |                |                |                | time that it was unknown |
 * | approvals.requested  | request                | status⁵          | policy id   | source         |                |                |                         |
 * | approvals.decided    | decision or other end  | status⁵          | policy id   | source         |                |                | request to decision⁶    |
 * | messages.accepted    | acceptance             | status⁷          | kind        | label          |                |                |                         |
 * | messages.ended       | end                    | status⁷          | kind        | label          |                |                |                         |
 * | targets.ended        | end                    | status⁷          | target⁸     | subscription   | attempts       |                | due to delivered        |
 * | schedules.delivery   | end of a firing's message | status⁷       | schedule id |                |                |                |                         |
 * | delivery.attempts    | end of the attempt     | outcome⁹         | target⁸     | subscription   | first attempts | sum of latency | latency                 |
 * | schedules.fired      | outcome of the run     | outcome¹⁰        | schedule id | trigger        |                |                | lateness of a published |
 * | runs.started         | start                  | status           | agent id    | agent version  |                |                |                         |
 * | runs.ended           | end                    | status           | agent id    | agent version  | tokens         | cost in µUSD   | duration                |
 * | runs.tokens          | end                    |                  | agent id    | agent version  | input tokens   | output tokens  |                         |
 * | errors               | failure                | area             | code        | message¹¹      |                |                |                         |
 *
 * 1. The status as it is now, and behind a colon the refusal code of one that has it: `failed:http_error`. `pending` stands for
 *    `pending_approval`, `queued` and `dispatching`. `SQL_OF_GROUP` parts them. An `unknown` one counts as ended when it became unknown, and its
 *    resolution moves it. Refusals are those of `refused`, `denied`, `expired` and `cancelled`.
 * 2. How many of them asked for an approval.
 * 3. `allow`, `require_approval`, `deny`. d2 and d3 are empty where the action or the environment's default decided.
 * 4. Never `pending`: what is pending now is a gauge of the live rows (index `effects_by_grade`).
 * 5. As it is now; `approved` has the consumed ones. `pending` in `approvals.requested` only.
 * 6. For `approved` and `denied` alone.
 * 7. As it is now; `pending` stands for `pending`, `scheduled` and `processing`. `messages.ended` and `targets.ended`: delivered, failed,
 *    cancelled. The kind is `message`, `callback`, `event` or `alert`; `event` is the delivery of an event to a subscription.
 * 8. Origin and path: no userinfo, query or fragment (`targetOf`).
 * 9. The status that the destination answered (`200`), or `timeout`, `connection`, `blocked`, or `abandoned` where the worker was lost.
 *    A success is a `2xx`. The last status of a target is the d1 of its row with the latest `last_at`. First attempts: of a message.
 * 10. `published`, `skipped`, `failed`, `missed`; the trigger is `schedule` or `manual`.
 * 11. The redacted text of the error, each word with a digit as `#`, at most 300 characters (`errorShape`). Area, code and message together are the fingerprint.
 *     `samples` are ids of invocations (invocation, dispatch), messages (delivery, subscription), runs, schedules, approvals (integration).
 */
export const ANALYTICS_KINDS = [
  'invocations.created',
  'invocations.ended',
  'policy.decisions',
  'effects.graded',
  'unknowns.opened',
  'unknowns.resolved',
  'approvals.requested',
  'approvals.decided',
  'messages.accepted',
  'messages.ended',
  'targets.ended',
  'schedules.delivery',
  'delivery.attempts',
  'schedules.fired',
  'runs.started',
  'runs.ended',
  'runs.tokens',
  'errors',
] as const;
export type AnalyticsKind = (typeof ANALYTICS_KINDS)[number];

/** Who failed. `invocation`: refused; `dispatch`: failed or unknown after it was sent; `subscription`: a delivery of an event. */
export const ERROR_AREAS = [
  'invocation',
  'dispatch',
  'delivery',
  'schedule',
  'run',
  'integration',
  'subscription',
] as const;
export type ErrorArea = (typeof ERROR_AREAS)[number];

/** Stands for the open dimensions of what came beyond `DIMENSIONS_MAX` distinct (d1, d2, d3) of an environment, kind and UTC day. */
export const OTHER = '(other)';
export const DIMENSIONS_MAX = 1_000;

/** SQL over the columns of a rollup: the value of a group, by kind. The result is the key; an empty text is null to a caller. */
export const SQL_OF_GROUP = {
  'invocations.created': { status: statusOf('d1'), refusal: codeOf('d1'), action: 'd2', agent: 'd3' },
  'invocations.ended': { status: statusOf('d1'), refusal: codeOf('d1'), action: 'd2', agent: 'd3' },
  'policy.decisions': { effect: 'd1', policy: 'd2', version: `split_part(d3, '/', 1)`, rule: ruleOf('d3') },
  'effects.graded': { grade: 'd1', action: 'd2', verification: 'd3' },
  'unknowns.opened': { action: 'd2' },
  'unknowns.resolved': { by: 'd1', action: 'd2' },
  'approvals.requested': { status: 'd1', policy: 'd2', source: 'd3' },
  'approvals.decided': { status: 'd1', policy: 'd2', source: 'd3' },
  'messages.accepted': { status: 'd1', kind: 'd2', label: 'd3' },
  'messages.ended': { status: 'd1', kind: 'd2', label: 'd3' },
  'targets.ended': { status: 'd1', url: 'd2', subscription: 'd3' },
  'schedules.delivery': { status: 'd1', schedule: 'd2' },
  'delivery.attempts': { outcome: outcomeClassOf('d1'), url: 'd2', subscription: 'd3' },
  'schedules.fired': { outcome: 'd1', schedule: 'd2', trigger: 'd3' },
  'runs.started': { status: 'd1', agent: 'd2', version: 'd3' },
  'runs.ended': { status: 'd1', agent: 'd2', version: 'd3' },
  'runs.tokens': { agent: 'd2', version: 'd3' },
  errors: { area: 'd1', code: 'd2', message: 'd3' },
} as const satisfies Record<AnalyticsKind, Record<string, string>>;

/** The dimensions that callers can fill without bound; they become `OTHER` beyond the cap. The others are kept, so that totals by them stay exact. */
export const OPEN_DIMENSIONS = {
  'invocations.created': ['d2', 'd3'],
  'invocations.ended': ['d2', 'd3'],
  'policy.decisions': ['d2', 'd3'],
  'effects.graded': ['d2'],
  'unknowns.opened': ['d2'],
  'unknowns.resolved': ['d2'],
  'approvals.requested': ['d2'],
  'approvals.decided': ['d2'],
  'messages.accepted': ['d3'],
  'messages.ended': ['d3'],
  'targets.ended': ['d2', 'd3'],
  'schedules.delivery': ['d2'],
  'delivery.attempts': ['d2', 'd3'],
  'schedules.fired': ['d2'],
  'runs.started': ['d2', 'd3'],
  'runs.ended': ['d2', 'd3'],
  'runs.tokens': ['d2', 'd3'],
  errors: ['d2', 'd3'],
} as const satisfies Record<AnalyticsKind, readonly ('d2' | 'd3')[]>;

/** Whether SQL terms over the columns of a rollup, by kind, need none of the open dimensions: then totals have the same sums in fewer rows. */
export function isOfTotals(terms: Partial<Record<AnalyticsKind, string>>): boolean {
  return ANALYTICS_KINDS.every((kind) => OPEN_DIMENSIONS[kind].every((open) => !namesColumn(terms[kind] ?? '', open)));
}

function namesColumn(sql: string, column: string): boolean {
  return new RegExp(`\\b${column}\\b`).test(sql);
}

function statusOf(column: string): string {
  return `split_part(${column}, ':', 1)`;
}

function codeOf(column: string): string {
  return `split_part(${column}, ':', 2)`;
}

function ruleOf(column: string): string {
  return `substr(${column}, strpos(${column}, '/') + 1)`;
}

/** `2xx` of `204`; the words stay. */
function outcomeClassOf(column: string): string {
  return `CASE WHEN ${column} ~ '^[1-5]' THEN left(${column}, 1) || 'xx' ELSE ${column} END`;
}
