import { type Check, fail, type Finding, ok } from './check.ts';
import { type Figures, largest } from './figures.ts';
import type { Subject } from './subject.ts';

const SECONDS_MAX = { queued: 60, place: 300, message: 300, reconciliation: 600, unknown: 86_400, event: 60 };
const OVERDUE_MAX = 20;
const EXPOSURE_MAX = 0.5;
/** Environments whose outbox is looked into. */
const ENVIRONMENTS_MAX = 20;

interface Bound {
  name: string;
  figure: string;
  most: number;
  page: string;
  holds: string;
  /** Says the value with its unit. */
  found: (value: number, label: string) => string;
  remedy: string;
}

const seconds = (value: number): string => `${Math.round(value)} s`;

/** With the thresholds of the alerts in ops/prometheus/rules.yml. */
const BOUNDS: readonly Bound[] = [
  {
    name: 'oldest-queued',
    figure: 'oldest_queued_seconds',
    most: SECONDS_MAX.queued,
    page: 'runbooks.md#queueage',
    holds: 'No invocation has been queued for more than a minute',
    found: (value) => `The oldest queued invocation has waited for ${seconds(value)}`,
    remedy: 'look whether workers poll and have slots',
  },
  {
    name: 'oldest-place-wait',
    figure: 'oldest_place_wait_seconds',
    most: SECONDS_MAX.place,
    page: 'runbooks.md#placewait',
    holds: 'No call has waited for its workspace’s turn for more than five minutes',
    found: (value, label) =>
      `The oldest wait of a call${label === '' ? '' : ` (${label})`} for its turn is ${seconds(value)}`,
    remedy: 'raise WORKSPACE_…_MAX and the slots, or add workers',
  },
  {
    name: 'oldest-message',
    figure: 'oldest_message_due_seconds',
    most: SECONDS_MAX.message,
    page: 'runbooks.md#messageslate',
    holds: 'No message has been due for more than five minutes',
    found: (value) => `The oldest due message has waited for ${seconds(value)}`,
    remedy: 'look whether workers run and have delivery slots',
  },
  {
    name: 'overdue-work',
    figure: 'overdue_work',
    most: OVERDUE_MAX,
    page: 'runbooks.md#workoverdue',
    holds: 'Workflows move their records by their time',
    found: (value, label) => `${value} records${label === '' ? '' : ` of kind ${label}`} are moved by no workflow`,
    remedy: 'look whether the sweep runs and what it says of them',
  },
  {
    name: 'reconciliation',
    figure: 'reconciliation_lag_seconds',
    most: SECONDS_MAX.reconciliation,
    page: 'runbooks.md#reconciliationbehind',
    holds: 'Unknown outcomes are read in time',
    found: (value) => `The latest read of an unknown outcome is ${seconds(value)} late`,
    remedy: 'look whether workers poll the queue of provider reads',
  },
  {
    name: 'oldest-unknown',
    figure: 'oldest_unknown_seconds',
    most: SECONDS_MAX.unknown,
    page: 'runbooks.md#unknownold',
    holds: 'No outcome has been unknown for more than a day',
    found: (value) => `The oldest unknown outcome is ${seconds(value)} old`,
    remedy: 'let a person look at the provider and resolve it',
  },
  {
    name: 'unknown-exposure',
    figure: 'unknown_exposure_ratio',
    most: EXPOSURE_MAX,
    page: 'runbooks.md#unknownexposure',
    holds: 'Unknown outcomes hold at most half of an impact limit',
    found: (value) => `Unknown outcomes hold ${Math.round(value * 100)} % of an impact limit`,
    remedy: 'resolve them, before the limit refuses what is new',
  },
  {
    name: 'expensive-work',
    figure: 'expensive_work_paused',
    most: 0,
    page: 'plans-and-limits.md#pausing-expensive-work',
    holds: 'Expensive work is not paused',
    found: (value) => `Expensive work is ${value > 0 ? '' : 'not '}paused`,
    remedy: '`npm run expensive-work resume` once the reason is gone',
  },
];

export function judgeBound({ figure, most, found, remedy }: Bound, figures: Figures): Finding {
  const { label, value } = largest(figures, figure);
  return value > most ? fail(found(value, label), remedy) : ok(`${found(value, label)}.`);
}

/** What waits, over all environments. */
export const WORK_CHECKS: readonly Check[] = [
  ...BOUNDS.map((bound): Check => ({
    name: bound.name,
    page: bound.page,
    holds: bound.holds,
    needs: ['migrations'],
    run: async (subject) => judgeBound(bound, await subject.work()),
  })),
  {
    name: 'outbox',
    page: 'operations.md#what-a-crash-leaves-behind',
    holds: 'Platform events leave the outbox within a minute',
    needs: ['migrations'],
    run: async (subject) => judgeOutbox(await oldestEventSeconds(subject)),
  },
];

export function judgeOutbox(oldestSeconds: number): Finding {
  const found = `The oldest platform event has been in the outbox for ${seconds(oldestSeconds)}`;
  return oldestSeconds > SECONDS_MAX.event
    ? fail(found, 'look whether a worker runs, and into its log for what it could not relay')
    : ok(`${found}.`);
}

/** The age of the oldest event of the first environments that have one, in seconds. 0: there is none. */
async function oldestEventSeconds(subject: Subject): Promise<number> {
  const session = await subject.postgres();
  const { rows } = await session.query<{ environment_id: string }>(
    `SELECT environment_id FROM find_raised_events('00000000-0000-0000-0000-000000000000', ${ENVIRONMENTS_MAX})`,
  );
  const ages = rows.map(async ({ environment_id: id }) => {
    const [, , found = []] = await session.queryEach<{ seconds: number | null }>(
      `BEGIN READ ONLY; SET LOCAL app.environment_id = '${id}';
       SELECT extract(epoch FROM clock_timestamp() - min(occurred_at))::double precision AS seconds FROM raised_events
         WHERE environment_id = current_environment_id(); ROLLBACK`,
    );
    return found[0]?.seconds ?? 0;
  });
  return Math.max(0, ...(await Promise.all(ages)));
}
