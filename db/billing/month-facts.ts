import { isPlanName, type PlanName } from '../../domain/plans.ts';
import type {
  CountedMeter,
  MonthFacts,
  ReversedExecutions,
  SettledExecutions,
} from '../../domain/billing/month-facts.ts';
import { firstDayOf, monthOf, type Period, periodOf } from '../../domain/billing/periods.ts';
import { planAt, type PlanTimeline, timelineOf } from '../../domain/billing/plan-timeline.ts';
import { type Estimate, estimateOf } from '../../domain/billing/estimate.ts';
import { isCharged } from '../../domain/billing/invoice-lines.ts';
import type { PriceList } from '../../domain/billing/price-list.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

/** The plan of a workspace, and since when it has it. */
export interface Subscription {
  plan: PlanName;
  since: Date;
  /** When the workspace was made. */
  workspaceSince: Date;
  /** The start of the transaction, by the database's clock. */
  now: Date;
}

/** Returns the subscription of the transaction's workspace. Throws when the workspace does not exist. */
export async function readSubscription(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<Subscription> {
  const row = await tx.row<{ plan: string; since: Date; made: Date; now: Date }>(
    'read_subscription',
    `SELECT w.plan, COALESCE((SELECT max(p.changed_at) FROM plan_changes p WHERE p.workspace_id = w.id), w.created_at) AS since,
       w.created_at AS made, now() AS now
     FROM workspaces w WHERE w.id = current_workspace_id()`,
  );
  if (row === null || !isPlanName(row.plan)) throw new Error(`the workspace has no plan that is known: ${row?.plan}`);
  return { plan: row.plan, since: row.since, workspaceSince: row.made, now: row.now };
}

type Transaction = EnvironmentTransaction | WorkspaceTransaction;

export interface AskedMonth {
  /** `YYYY-MM`, UTC. */
  month: string;
  /** The facts up to here, excluded: the end of the month, or now. */
  until: Date;
  /** False: executions are not counted, because nothing of the month is charged. */
  countExecutions: boolean;
}

/** The history of the workspace's plan. */
export async function readPlanTimeline(tx: Transaction): Promise<PlanTimeline> {
  const rows = await tx.rows<{ plan: string; made: Date; from: string | null; to: string; at: Date }>(
    'read_plan_timeline',
    `SELECT w.plan, w.created_at AS made, p.from_plan AS from, p.to_plan AS to, p.changed_at AS at
     FROM workspaces w LEFT JOIN plan_changes p ON p.workspace_id = w.id
     WHERE w.id = current_workspace_id() ORDER BY p.number`,
  );
  const [first] = rows;
  if (first === undefined) throw new Error('a month is read in the transaction of a workspace that exists');
  return timelineOf(
    { plan: first.plan, madeAt: first.made },
    rows.flatMap(({ from, to, at }) => (from === null ? [] : [{ from, to, at }])),
  );
}

/**
 * What happened in a month of the transaction's workspace, up to an instant. For a month that has ended and in which no transaction is open,
 * it is the same whenever it is read: what settles or is taken back later belongs to the month in which that happens.
 */
export async function readMonthFacts(
  tx: Transaction,
  timeline: PlanTimeline,
  { month, until, countExecutions }: AskedMonth,
): Promise<MonthFacts> {
  const period = periodOf(month);
  const isMade = timeline.madeAt >= period.start;
  const changes = timeline.changes.filter(({ at }) => at > period.start && at < until && at < period.end);
  const [used, executions] = await tx.inOrder(
    () => readUsed(tx, month),
    countExecutions ? () => readExecutions(tx, timeline, { month, until }) : null,
  );
  return {
    month,
    madeAt: isMade ? timeline.madeAt.toISOString() : null,
    firstPlan: planAt(timeline, isMade ? timeline.madeAt : period.start),
    changes: changes.map(({ to, at }) => ({ to, at: at.toISOString() })),
    used,
    executions: executions?.settled ?? [],
    reversals: executions?.reversed ?? [],
  };
}

const COUNTED: readonly CountedMeter[] = ['messages', 'egress', 'memory_processing', 'notification_emails'];

async function readUsed(tx: Transaction, month: string): Promise<Record<CountedMeter, number>> {
  const rows = await tx.rows<{ allowance: string; used: string }>(
    'read_used',
    `SELECT allowance, sum(used)::text AS used FROM monthly_usage
     WHERE workspace_id = current_workspace_id() AND month = CAST(? AS date) GROUP BY allowance`,
    [firstDayOf(month)],
  );
  const used = new Map(rows.map((row) => [row.allowance, Number(row.used)]));
  return Object.fromEntries(COUNTED.map((meter) => [meter, used.get(meter) ?? 0])) as Record<CountedMeter, number>;
}

async function readExecutions(
  tx: Transaction,
  timeline: PlanTimeline,
  { month, until }: { month: string; until: Date },
): Promise<{ settled: SettledExecutions[]; reversed: ReversedExecutions[] }> {
  const [own, late, reversed, before] = await tx.inOrder(
    () => countOwn(tx, month, until),
    () => readLate(tx, month, until),
    () => readReversed(tx, month, until),
    () => readBilledBefore(tx, month),
  );
  const billed = new Map(before);
  const counted = [{ admittedIn: month, succeeded: own }, ...late];
  const settled = counted.map(({ admittedIn, succeeded }): SettledExecutions => {
    const billedBefore = billed.get(admittedIn) ?? 0;
    billed.set(admittedIn, billedBefore + succeeded);
    return { admittedIn, plan: planAtEnd(timeline, admittedIn), billedBefore, succeeded };
  });
  const taken = reversed.map(({ admittedIn, count, invoiceId, lineId }): ReversedExecutions => {
    const billedBefore = billed.get(admittedIn) ?? 0;
    billed.set(admittedIn, billedBefore - count);
    const corrects = invoiceId === null || lineId === null ? null : { invoiceId, lineId };
    return { admittedIn, plan: planAtEnd(timeline, admittedIn), billedBefore, reversed: count, corrects };
  });
  return { settled, reversed: taken };
}

function planAtEnd(timeline: PlanTimeline, month: string) {
  return planAt(timeline, new Date(periodOf(month).end.getTime() - 1));
}

async function countOwn(tx: Transaction, month: string, until: Date): Promise<number> {
  const row = await tx.row<{ executions: string }>(
    'count_own',
    'SELECT count_executions(CAST(? AS date), ?)::text AS executions',
    [firstDayOf(month), until],
  );
  return Number(row?.executions ?? 0);
}

/** Executions of other months that settled in this one and were not taken back in it. */
async function readLate(tx: Transaction, month: string, until: Date) {
  return tx.rows<{ admittedIn: string; succeeded: number }>(
    'read_late',
    `SELECT to_char(l.admitted_at AT TIME ZONE 'UTC', 'YYYY-MM') AS "admittedIn", count(*)::int AS succeeded FROM late_executions l
     WHERE l.workspace_id = current_workspace_id() AND l.kind = 'settled' AND l.at >= :start AND l.at < :until
       AND NOT EXISTS (SELECT FROM late_executions r WHERE r.invocation_id = l.invocation_id AND r.kind = 'reversed' AND r.at < :until)
     GROUP BY 1 ORDER BY 1`,
    { start: periodOf(month).start, until },
  );
}

interface Reversed {
  admittedIn: string;
  count: number;
  invoiceId: string | null;
  lineId: string | null;
}

/** Taken back in this month, after the month in which they settled, with the line that charged them. */
async function readReversed(tx: Transaction, month: string, until: Date): Promise<Reversed[]> {
  return tx.rows<Reversed>(
    'read_reversed',
    `WITH taken AS (
       SELECT to_char(l.admitted_at AT TIME ZONE 'UTC', 'YYYY-MM') AS admitted_in,
         date_trunc('month', l.settled_at AT TIME ZONE 'UTC')::date AS settled_in, count(*)::int AS count
       FROM late_executions l
       WHERE l.workspace_id = current_workspace_id() AND l.kind = 'reversed' AND l.at >= :start AND l.at < :until AND l.settled_at < :start
       GROUP BY 1, 2)
     SELECT t.admitted_in AS "admittedIn", t.count, charged.invoice_id AS "invoiceId", charged.id AS "lineId" FROM taken t
     LEFT JOIN LATERAL (
       SELECT n.invoice_id, n.id FROM invoices i JOIN invoice_lines n ON n.invoice_id = i.id
       WHERE i.workspace_id = current_workspace_id() AND i.month = t.settled_in AND n.line ->> 'type' = 'usage'
         AND n.line ->> 'meter' = 'executions' AND starts_with(n.line -> 'period' ->> 'start', t.admitted_in)) charged ON true
     ORDER BY t.admitted_in, t.settled_in`,
    { start: periodOf(month).start, until },
  );
}

/** By the month of admission: what snapshots of earlier months hold, without what was taken back. */
async function readBilledBefore(tx: Transaction, month: string): Promise<[string, number][]> {
  const rows = await tx.rows<{ admittedIn: string; billed: string }>(
    'read_billed_before',
    `SELECT x.admitted_in AS "admittedIn", sum(x.count)::text AS billed FROM billing_months b CROSS JOIN LATERAL (
       SELECT e ->> 'admittedIn' AS admitted_in, (e ->> 'succeeded')::bigint AS count FROM jsonb_array_elements(b.quantities -> 'executions') e
       UNION ALL
       SELECT r ->> 'admittedIn', -(r ->> 'reversed')::bigint FROM jsonb_array_elements(b.quantities -> 'reversals') r) x
     WHERE b.workspace_id = current_workspace_id() AND b.month < CAST(? AS date) GROUP BY 1`,
    [firstDayOf(month)],
  );
  return rows.map(({ admittedIn, billed }) => [admittedIn, Number(billed)]);
}

/** The month that the database's clock is in, as a reader of the workspace asks for it. */
function currentMonth(now: Date): Pick<AskedMonth, 'month' | 'until'> {
  return { month: monthOf(now), until: now };
}

export interface MonthSoFar extends Estimate {
  period: Period;
  /** The start of the transaction, by the database's clock. */
  asOf: Date;
}

/** What this UTC month has come to for the transaction's workspace. Executions are counted only where something is charged. */
export async function readEstimate(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  prices: PriceList,
): Promise<MonthSoFar> {
  const [{ now }, timeline] = await tx.inOrder(
    () => readSubscription(tx),
    () => readPlanTimeline(tx),
  );
  const asked = currentMonth(now);
  const uncounted = await readMonthFacts(tx, timeline, { ...asked, countExecutions: false });
  const facts = isCharged(uncounted, prices)
    ? await readMonthFacts(tx, timeline, { ...asked, countExecutions: true })
    : uncounted;
  return { ...estimateOf(facts, prices, now), period: periodOf(asked.month), asOf: now };
}
