import { useRead } from '../api/queries.ts';
import { Chart } from './chart.tsx';
import { zone } from './clock.tsx';
import { Ranked } from './ranked.tsx';
import { When } from './screen.tsx';
import { bytesText, capital, countText, durationText, percentText, wordsOf } from './text.ts';

/** What analytics counts over time, beside the metrics of `time-series`: messages, deliveries, firings, usage; and what was decided. */

interface Since {
  from: string;
}

/** A line for each of these counts of the buckets. */
function counted<Count extends string>(
  counts: readonly Count[],
  buckets: readonly (Record<Count, number> & { start: string })[],
) {
  return {
    starts: buckets.map(({ start }) => start),
    series: counts.map((count) => ({ label: capital(count), points: buckets.map((bucket) => bucket[count]) })),
  };
}

export function Messages({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/messages', {
    query: { from, timezone: zone() },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data: { buckets } }) => (
        <Chart
          title="Messages accepted, and how they ended"
          file="messages"
          {...counted(['accepted', 'delivered', 'failed', 'cancelled'], buckets)}
        />
      )}
    </When>
  );
}

export function Delivery({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/delivery', {
    query: { from, timezone: zone() },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data: { buckets } }) => (
        <>
          <Chart title="Attempts of deliveries" file="delivery" {...counted(['succeeded', 'failed'], buckets)} />
          <Chart
            title="Latency of deliveries, 95 of 100"
            file="delivery-latency"
            format={durationText}
            starts={buckets.map(({ start }) => start)}
            series={[{ label: '95 of 100 within', points: buckets.map(({ p95 }) => p95) }]}
          />
        </>
      )}
    </When>
  );
}

const FIRINGS_MAX = 100;

/** The newest firings, each with how late it was. */
export function Firings({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/schedule-executions', {
    query: { from, limit: FIRINGS_MAX },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data }) => {
        const firings = [...data].sort((left, right) => Date.parse(left.firedAt) - Date.parse(right.firedAt));
        return (
          <Chart
            title="Lateness of the newest firings"
            file="schedule-executions"
            format={durationText}
            starts={firings.map(({ firedAt }) => firedAt)}
            series={[{ label: 'Late by', points: firings.map(({ latenessMs }) => latenessMs) }]}
          />
        );
      }}
    </When>
  );
}

/** Usage is counted in UTC days, as allowances are. */
const METERS = ['executions', 'messages', 'memoryOperations', 'notificationEmails'] as const;

export function UsageOverTime() {
  const read = useRead('analytics', '/api/v2/analytics/usage/history', { keepsPrevious: true });
  return (
    <When read={read}>
      {({ data: { days } }) => (
        <Chart
          title="Usage on each of 30 days (UTC)"
          file="usage-history"
          starts={days.map(({ date }) => `${date}T00:00:00Z`)}
          series={METERS.map((meter) => ({
            label: namedOf(meter),
            points: days.map((day) => day[meter] ?? 0),
          }))}
        />
      )}
    </When>
  );
}

export function UsageOfTheMonth() {
  const read = useRead('analytics', '/api/v2/analytics/usage/current', { keepsPrevious: true });
  const amount = (value: number, unit: string): string => (unit === 'byte' ? bytesText(value) : countText(value));
  return (
    <When read={read}>
      {({ data: { items } }) => (
        <Ranked
          title="Used of the plan this month (UTC)"
          file="usage-current"
          rows={items}
          idOf={({ meter }) => meter}
          label={({ meter }) => capital(wordsOf(meter))}
          value={({ workspace: { used, limit } }) => (limit === 'unlimited' || limit === 0 ? 0 : used / limit)}
          words={({ unit, workspace: { used, limit } }) =>
            `${amount(used, unit)} ${limit === 'unlimited' ? 'without a limit' : `of ${amount(limit, unit)}`}`
          }
          full={1}
          csv={{
            header: ['meter', 'unit', 'used_here', 'used', 'limit'],
            line: ({ meter, unit, used, workspace }) => [meter, unit, used, workspace.used, String(workspace.limit)],
          }}
          columns={[
            { title: 'Meter', cell: ({ meter }) => capital(wordsOf(meter)) },
            { title: 'Here', align: 'right', cell: ({ used, unit }) => amount(used, unit) },
            { title: 'In the workspace', align: 'right', cell: ({ workspace, unit }) => amount(workspace.used, unit) },
            {
              title: 'Of',
              align: 'right',
              cell: ({ workspace: { limit }, unit }) => (limit === 'unlimited' ? 'no limit' : amount(limit, unit)),
            },
          ]}
        />
      )}
    </When>
  );
}

interface Named {
  name: string;
  count: number;
}

/** What policies decided, what people decided, and what is known of the effects. */
export function TrustControl({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/trust-control', {
    query: { from, timezone: zone() },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data: { decisions, approvals, grades } }) => {
        const half = approvals.decisionMs === null ? '' : `, half within ${durationText(approvals.decisionMs.p50)}`;
        const { decisionMs: _ms, approximate: _approximate, requested: _requested, ...ends } = approvals;
        return (
          <>
            <Shares title="What policies decided" file="policy-decisions" of={decisions} />
            <Shares title={`What became of approvals${half}`} file="approvals" of={ends} />
            <Shares title="Grades of effects" file="grades" of={grades} />
          </>
        );
      }}
    </When>
  );
}

function Shares({ title, file, of }: { title: string; file: string; of: Readonly<Record<string, number>> }) {
  const rows = Object.entries(of).map(([name, count]): Named => ({ name: namedOf(name), count }));
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <Ranked
      title={title}
      file={file}
      rows={total === 0 ? [] : rows}
      idOf={({ name }) => name}
      label={({ name }) => name}
      value={({ count }) => count}
      csv={{ header: ['what', 'count'], line: ({ name, count }) => [name, count] }}
      columns={[
        { title: 'What', cell: ({ name }) => name },
        { title: 'Count', align: 'right', cell: ({ count }) => countText(count) },
        { title: 'Share', align: 'right', cell: ({ count }) => percentText(total === 0 ? 0 : count / total) },
      ]}
    />
  );
}

const NAMES: Readonly<Record<string, string>> = { allow: 'Allowed', requireApproval: 'Asked a person', deny: 'Denied' };

function namedOf(name: string): string {
  return NAMES[name] ?? capital(wordsOf(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)));
}
